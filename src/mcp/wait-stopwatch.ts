/** Measures how long a call has waited for the request limit. */
export interface WaitStopwatch {
  /** Begins a wait; returns the function that ends it. */
  begin(): () => void;
  /** The total of the waits that have ended, in milliseconds. */
  ms(): number;
}

/** Concurrent waits count once: the total is the time that the caller lost. */
export function createWaitStopwatch(): WaitStopwatch {
  let open = 0;
  let since = 0;
  let sum = 0;
  return {
    begin: () => {
      if (open === 0) since = performance.now();
      open += 1;
      return () => {
        open -= 1;
        if (open === 0) sum += performance.now() - since;
      };
    },
    ms: () => sum,
  };
}
