import type { FaultKind } from '../fault.ts';
import { done } from '../says.ts';

/** Faults of the machine that the program runs on, with a healthy API. */
export const machineFaults: readonly FaultKind[] = [
  {
    name: 'clock jump ±1 h',
    how: 'the wall clock of the program (Date, changed by a preloaded file) jumps an hour forward in one call and back in the next',
    applied: 'before',
    says: done,
  },
  {
    name: 'event-loop stall 2 s',
    how: 'the process is stopped for 2 s (SIGSTOP) while the server handles a request and answers',
    applied: 'before',
    says: done,
  },
  {
    name: 'disk full for logs',
    how: 'standard error is /dev/full and the log level is debug: every line of the log fails with ENOSPC',
    applied: 'before',
    says: done,
  },
];
