import type { FaultKind } from '../fault.ts';
import { done } from '../says.ts';

/** Faults of the machine that the program runs on; the API is well. */
export const machineFaults: readonly FaultKind[] = [
  {
    name: 'clock jump ±1 h',
    how: 'the wall clock of the program (Date, by a preloaded file) goes an hour ahead in one call and back in the next',
    applied: 'before',
    says: done,
  },
  {
    name: 'event-loop stall 2 s',
    how: 'the process is stopped for 2 s (SIGSTOP) while a request is at the server, which answers meanwhile',
    applied: 'before',
    says: done,
  },
  {
    name: 'disk full for logs',
    how: 'standard error is /dev/full, the log level debug: every line of the log fails with ENOSPC',
    applied: 'before',
    says: done,
  },
];
