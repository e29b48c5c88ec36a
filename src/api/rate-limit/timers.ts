/** Timers that do not keep a finished process alive, and end together. */
export interface Timers {
  later(milliseconds: number, work: () => void): void;
  /** Resolves after the time, or at the next `wake`. */
  pause(milliseconds: number): Promise<void>;
  wake(): void;
  /** Ends all timers and wakes who pauses. */
  stop(): void;
}

export function createTimers(): Timers {
  const timers = new Set<NodeJS.Timeout>();
  let endPause: (() => void) | undefined;

  function later(milliseconds: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, milliseconds);
    timers.add(timer.unref());
    return timer;
  }

  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = later(milliseconds, resolve);
      endPause = () => {
        clearTimeout(timer);
        timers.delete(timer);
        resolve();
      };
    });
  }

  return {
    later: (milliseconds, work) => void later(milliseconds, work),
    pause,
    wake: () => endPause?.(),
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
      endPause?.();
    },
  };
}
