import type { Academy } from './state/academy.ts';

/** A clock that stands at `start` now and runs on with real time, whatever is done to the system's clock. */
export function runningClock(start: Date): () => Date {
  const offset = start.getTime() - performance.now();
  return () => new Date(offset + performance.now());
}

/**
 * Runs `work` with the academy's clock stopped at `time`: every timestamp of one write is the same, and the
 * same again when the journal is replayed.
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
