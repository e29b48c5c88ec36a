/** Measures for how long a call waited for the request limit. */
export interface WaitClock {
  /** Begins a wait; returns what ends it. */
  begin(): () => void;
  /** Of the waits that have ended, in milliseconds. */
  ms(): number;
}

/** Waits side by side count once: what is told is time that the caller lost. */
export function createWaitClock(): WaitClock {
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
