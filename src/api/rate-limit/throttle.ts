/** Time and timers as an argument, so that a test can move them by hand. */
export interface Clock {
  /** Milliseconds that never go back. */
  now(): number;
  /** Runs `work` later, unless the returned function is called before. */
  later(milliseconds: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  later: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Sleeps that all end early when something has changed. */
export function createSleeps(clock: Clock) {
  const sleeping = new Set<() => void>();
  return {
    sleep: (milliseconds: number): Promise<void> =>
      new Promise((resolve) => {
        const end = () => {
          cancel();
          sleeping.delete(end);
          resolve();
        };
        const cancel = clock.later(milliseconds, end);
        sleeping.add(end);
      }),
    wake: (): void => {
      for (const end of [...sleeping]) end();
    },
  };
}

/** Pauses after 429s without Retry-After. Each further 429 doubles the pause, up to `longest`. Milliseconds. */
const minutePauses = { first: 5_000, longest: 60_000 };
export type Pauses = typeof minutePauses;

/** The part of the budget that remains after one 429, and the least that always remains. */
const cut = 2 / 3;
const floor = 0.1;
/** After a window without a 429, and then four times a window, this part of the full budget returns. */
const growth = 0.05;

interface ThrottleOptions {
  capacity: number;
  windowMs: number;
  random: () => number;
  pauses?: Pauses | undefined;
  now: () => number;
}

/**
 * Reacts to 429s, which mean that others use the account too: all requests pause. The budget is cut at most once per half
 * window, and grows back. Until a window has passed without a 429 requests are spaced: the API would only refuse a burst.
 */
export function createThrottle({ capacity, windowMs, random, pauses = minutePauses, now }: ThrottleOptions) {
  let full = capacity;
  let resumeAt = 0;
  let pause = pauses.first;
  let startedAt = Number.NEGATIVE_INFINITY;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let cutAt = Number.NEGATIVE_INFINITY;
  let base = capacity;

  /** Milliseconds since a window had passed without a 429; below 0 before. */
  const cleanFor = () => now() - refusedAt - windowMs;

  function allowed(): number {
    const steps = cleanFor() < 0 ? 0 : 1 + Math.floor(cleanFor() / (windowMs / 4));
    const grown = base + steps * Math.max(1, Math.floor(full * growth));
    return Math.min(full, Math.max(Math.ceil(full * floor), grown));
  }

  const pausedFor = () => Math.max(0, resumeAt - now());

  return {
    refused: (retryAfter: number | undefined): void => {
      const wait = retryAfter ?? pause;
      if (retryAfter === undefined) pause = Math.min(pauses.longest, pause * 2);
      // Adds jitter, so that several processes on one account do not return at the same time.
      resumeAt = Math.max(resumeAt, now() + wait * (1 + random() / 10));
      const isCut = now() - cutAt >= windowMs / 2;
      base = Math.floor(allowed() * (isCut ? cut : 1));
      if (isCut) cutAt = now();
      refusedAt = now();
    },
    accepted: (): void => {
      pause = pauses.first;
    },
    allowed,
    full: () => full,
    /** Sets another full budget. A cut keeps its proportion. */
    setFull: (next: number): void => {
      base = Math.floor((base * next) / full);
      full = next;
    },
    pausedFor,
    /** Milliseconds until the next request may start. */
    waitMs: (): number => {
      const spacing = cleanFor() < 0 ? windowMs / allowed() : 0;
      return Math.max(pausedFor(), startedAt + spacing - now(), 0);
    },
    started: (): void => {
      startedAt = now();
    },
  };
}
