/** Time and timers as an argument, so that a test can move them by hand. */
export interface Clock {
  /** Milliseconds that never go back. */
  now(): number;
  /** Runs `work` later, unless the returned function is called before. `isIdle`: the timer keeps no process running. */
  later(milliseconds: number, work: () => void, isIdle?: 'idle'): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  later: (milliseconds, work, isIdle) => {
    const timer = setTimeout(work, milliseconds);
    if (isIdle) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after a time. Rejects with the reason of the signal when it aborts. */
export function sleepBy(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.later(milliseconds, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    signal.addEventListener('abort', abort, { once: true });
  });
}
