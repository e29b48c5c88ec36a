import type { FaultKind } from './fault.ts';
import { bodyFaults } from './faults/bodies.ts';
import { connectionFaults } from './faults/connection.ts';
import { machineFaults } from './faults/machine.ts';
import { silenceFaults } from './faults/silence.ts';
import { statusFaults } from './faults/statuses.ts';

/** The 46 kinds. */
export const faultKinds: readonly FaultKind[] = [
  ...connectionFaults,
  ...silenceFaults,
  ...bodyFaults,
  ...statusFaults,
  ...machineFaults,
];
