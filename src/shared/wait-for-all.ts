import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Waits until all that runs has ended, but no longer than `milliseconds`. */
export async function waitForAll(running: ReadonlySet<Promise<unknown>>, milliseconds: number): Promise<void> {
  const timer = new AbortController();
  const expired = sleep(milliseconds, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([Promise.allSettled(running), expired]);
  timer.abort();
  // A call that has just settled has its answer written a few promises later.
  await setImmediate();
}
