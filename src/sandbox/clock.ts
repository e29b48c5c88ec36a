import type { Academy } from './state/academy.ts';

/** A clock that starts at `start` and advances with real time. Changes of the system clock do not affect it. */
export function runningClock(start: Date): () => Date {
  const offset = start.getTime() - performance.now();
  return () => new Date(offset + performance.now());
}

/**
 * Runs `work` with the academy's clock stopped at `time`: all timestamps of a write are identical, also when the journal
 * is replayed.
 */
export function withFrozenClock<Result>(academy: Academy, time: Date, work: () => Result): Result {
  const { clock } = academy;
  academy.clock = () => time;
  try {
    return work();
  } finally {
    academy.clock = clock;
  }
}
