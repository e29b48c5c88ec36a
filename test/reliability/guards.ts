import { accessControlGuards } from './guards/access-control.ts';
import { accountGuards } from './guards/accounts.ts';
import { auditGuards } from './guards/audit.ts';
import { batchGuards } from './guards/batches.ts';
import { consentGuards } from './guards/consent.ts';
import { endGuards } from './guards/ends.ts';
import { eventGuards } from './guards/events.ts';
import { evidenceGuards } from './guards/evidence.ts';
import { exportGuards } from './guards/exports.ts';
import type { Guard } from './guards/guard.ts';
import { holderGuards } from './guards/holders.ts';
import { lengthGuards } from './guards/lengths.ts';
import { limitGuards } from './guards/limits.ts';
import { mirrorGuards } from './guards/mirror.ts';
import { outlineGuards } from './guards/outlines.ts';
import { packageGuards } from './guards/packages.ts';
import { questionGuards } from './guards/questions.ts';
import { rareGuards } from './guards/rare.ts';
import { replicaGuards } from './guards/replicas.ts';
import { requestGuards } from './guards/requests.ts';
import { salesGuards } from './guards/sales.ts';
import { unreadGuards } from './guards/unread.ts';
import { viewGuards } from './guards/views.ts';
import { wordGuards } from './guards/words.ts';
import { writeGuards } from './guards/writes.ts';

/** Every guard whose removal a test must notice. */
export const guards: readonly Guard[] = [
  ...requestGuards,
  ...writeGuards,
  ...evidenceGuards,
  ...auditGuards,
  ...lengthGuards,
  ...limitGuards,
  ...wordGuards,
  ...consentGuards,
  ...endGuards,
  ...accessControlGuards,
  ...rareGuards,
  ...salesGuards,
  ...questionGuards,
  ...batchGuards,
  ...holderGuards,
  ...outlineGuards,
  ...unreadGuards,
  ...packageGuards,
  ...eventGuards,
  ...accountGuards,
  ...viewGuards,
  ...replicaGuards,
  ...mirrorGuards,
  ...exportGuards,
];
