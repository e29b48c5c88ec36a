import type { Attack } from './attack.ts';
import { callerAttacks, licenceAttacks } from './callers.ts';
import { connectionAttacks, metaAttacks, originAttacks } from './connections.ts';
import { argumentAttacks, unseenAttacks } from './consents.ts';
import { exportAttacks } from './exports.ts';
import { cursorAttacks, nameAttacks } from './forged.ts';
import { lockdownAttacks } from './lockdown.ts';
import { replicaAttacks } from './replicas.ts';
import { extentAttacks, titleAttacks } from './revocations.ts';
import { refusalAttacks, textAttacks } from './texts.ts';
import { bodyAttacks, pageAttacks } from './upstream.ts';
import { valueAttacks } from './values.ts';
import { auditAttacks, sameAttacks } from './writes.ts';

/** All attacks, in the order of their targets. */
export const attacks: readonly Attack[] = [
  ...textAttacks,
  ...connectionAttacks,
  ...metaAttacks,
  ...bodyAttacks,
  ...pageAttacks,
  ...refusalAttacks,
  ...argumentAttacks,
  ...unseenAttacks,
  ...extentAttacks,
  ...titleAttacks,
  ...lockdownAttacks,
  ...sameAttacks,
  ...auditAttacks,
  ...callerAttacks,
  ...nameAttacks,
  ...cursorAttacks,
  ...originAttacks,
  ...licenceAttacks,
  ...exportAttacks,
  ...valueAttacks,
  ...replicaAttacks,
];
