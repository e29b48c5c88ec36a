import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Waits until all promises have settled, for at most `milliseconds`. */
export async function waitForAll(running: ReadonlySet<Promise<unknown>>, milliseconds: number): Promise<void> {
  const timer = new AbortController();
  const expired = sleep(milliseconds, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([Promise.allSettled(running), expired]);
  timer.abort();
  // The answer of a call that has just settled is written a few promises later.
  await setImmediate();
}
