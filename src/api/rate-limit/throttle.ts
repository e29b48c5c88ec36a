import { createShutdownSignal, ending } from '../../shared/shutdown.ts';

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
function sleepBy(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
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

/** Pauses after 429s without Retry-After. Each further 429 doubles the pause, up to `longest`. Milliseconds. */
export interface Pauses {
  readonly first: number;
  readonly longest: number;
}

const minutePauses: Pauses = { first: 5_000, longest: 60_000 };

/** The part of the budget that remains after one 429, and the least that always remains. */
const cut = 0.75;
const floor = 0.1;
/** After each window without a 429, this part of the full budget returns. */
const growth = 0.05;

interface ThrottleOptions {
  capacity: number;
  windowMs: number;
  random: () => number;
  pauses?: Pauses | undefined;
  clock: Clock;
  /** Sets the number of requests per window that we allow ourselves. */
  setAllowed(count: number): void;
}

/**
 * Reacts to 429s, which mean that others use the account too. All requests pause. The budget is cut at most once per
 * half window, and grows again while no 429 comes. Until a window has passed without a 429, requests are spaced: the
 * API would only refuse a burst.
 */
export function createThrottle({
  capacity: initial,
  windowMs,
  random,
  pauses = minutePauses,
  clock,
  setAllowed,
}: ThrottleOptions) {
  const stopped = createShutdownSignal();
  let capacity = initial;
  let resumeAt = 0;
  let pause = pauses.first;
  let allowed = initial;
  let lastCut = Number.NEGATIVE_INFINITY;
  /** Least time between two requests, and when the next one may start. Milliseconds. */
  let spacing = 0;
  let nextStart = 0;
  let stopGrowing = () => {};

  function change(next: number): void {
    allowed = Math.min(capacity, Math.max(Math.ceil(capacity * floor), Math.floor(next)));
    setAllowed(allowed);
  }

  function growLater(delay: number): void {
    stopGrowing();
    stopGrowing = clock.later(
      delay,
      () => {
        spacing = 0;
        change(allowed + Math.max(1, capacity * growth));
        if (allowed < capacity) growLater(windowMs / 4);
      },
      'idle',
    );
  }

  function refused(retryAfter: number | undefined): void {
    const wait = retryAfter ?? pause;
    if (retryAfter === undefined) pause = Math.min(pauses.longest, pause * 2);
    const now = clock.now();
    // Adds jitter, so that several processes on one account do not return at the same time.
    resumeAt = Math.max(resumeAt, now + wait * (1 + random() / 10));
    if (now - lastCut >= windowMs / 2) {
      lastCut = now;
      change(allowed * cut);
    }
    spacing = windowMs / allowed;
    growLater(windowMs);
  }

  const pausedFor = () => Math.max(0, resumeAt - clock.now());

  /** Resolves when a request may be sent. Rejects when the signal aborts or the program ends. */
  async function resumed(signal: AbortSignal | undefined): Promise<void> {
    // The usual case. A combined signal would leave a listener on the long-lived one for each request.
    if (pausedFor() === 0 && spacing === 0) return;
    const signals = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal]);
    const until = (time: number) =>
      sleepBy(clock, time - clock.now(), signals).catch((error: unknown) => {
        throw stopped.signal.aborted ? ending() : error;
      });
    for (;;) {
      while (pausedFor() > 0) await until(resumeAt);
      if (spacing === 0) return;
      const start = Math.max(clock.now(), nextStart);
      nextStart = start + spacing;
      await until(start);
      // Meanwhile another request may have been refused.
      if (pausedFor() === 0) return;
    }
  }

  return {
    refused,
    accepted: () => {
      pause = pauses.first;
    },
    /** Sets another full budget. A cut keeps its proportion. */
    setCapacity: (next: number) => {
      const part = allowed / capacity;
      capacity = next;
      change(next * part);
    },
    /** The budget before any cut after a 429. */
    full: () => capacity,
    pausedFor,
    resumed,
    stop: () => {
      stopped.abort();
      stopGrowing();
    },
  };
}
