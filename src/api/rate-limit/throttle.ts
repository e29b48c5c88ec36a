import { setTimeout as sleep } from 'node:timers/promises';
import { createShutdownSignal, ending } from '../../shared/shutdown.ts';

/** Pauses after 429s without Retry-After: the first is doubled by each further 429, up to the longest. Milliseconds. */
export interface Pauses {
  readonly first: number;
  readonly longest: number;
}

const minutePauses: Pauses = { first: 5_000, longest: 60_000 };

/** What one 429 leaves of the budget, and the least that is ever left. */
const cut = 0.75;
const floor = 0.1;
/** After a clean window this share of the full budget comes back, again and again. */
const growth = 0.05;

export interface ThrottleOptions {
  capacity: number;
  windowMs: number;
  random: () => number;
  pauses?: Pauses | undefined;
  /** Changes how many requests a window we allow ourselves. */
  setAllowed(count: number): void;
}

/**
 * Reacts to 429s, which mean that others use the account too: all sending pauses, the budget is cut at most once in
 * half a window, and grows back while no 429 comes. Until a window has been clean, requests keep their distance: a burst
 * into a budget that others use, too, would only be refused.
 */
export function createThrottle({
  capacity: initial,
  windowMs,
  random,
  pauses = minutePauses,
  setAllowed,
}: ThrottleOptions) {
  const stopped = createShutdownSignal();
  let capacity = initial;
  let resumeAt = 0;
  let pause = pauses.first;
  let allowed = initial;
  let lastCut = Number.NEGATIVE_INFINITY;
  /** Least time between two requests, and when the next may go. Milliseconds. */
  let spacing = 0;
  let nextStart = 0;
  let growing: NodeJS.Timeout | undefined;

  function change(next: number): void {
    allowed = Math.min(capacity, Math.max(Math.ceil(capacity * floor), Math.floor(next)));
    setAllowed(allowed);
  }

  function growLater(delay: number): void {
    clearTimeout(growing);
    growing = setTimeout(() => {
      spacing = 0;
      change(allowed + Math.max(1, capacity * growth));
      if (allowed < capacity) growLater(windowMs / 4);
    }, delay);
    growing.unref();
  }

  function refused(retryAfter: number | undefined): void {
    const wait = retryAfter ?? pause;
    if (retryAfter === undefined) pause = Math.min(pauses.longest, pause * 2);
    const now = performance.now();
    // Spread a little, so that several processes on one account do not come back in step.
    resumeAt = Math.max(resumeAt, now + wait * (1 + random() / 10));
    if (now - lastCut >= windowMs / 2) {
      lastCut = now;
      change(allowed * cut);
    }
    spacing = windowMs / allowed;
    growLater(windowMs);
  }

  const pausedFor = () => Math.max(0, resumeAt - performance.now());

  /** Resolves when a request may go. Rejects when the signal aborts or the program ends. */
  async function resumed(signal: AbortSignal | undefined): Promise<void> {
    // The usual case. A combined signal would leave an entry on the long-lived one for each request.
    if (pausedFor() === 0 && spacing === 0) return;
    const signals = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal]);
    const until = (time: number) =>
      sleep(time - performance.now(), undefined, { signal: signals }).catch((error: unknown) => {
        throw stopped.signal.aborted ? ending() : error;
      });
    for (;;) {
      while (pausedFor() > 0) await until(resumeAt);
      if (spacing === 0) return;
      const start = Math.max(performance.now(), nextStart);
      nextStart = start + spacing;
      await until(start);
      // Another may have been refused meanwhile.
      if (pausedFor() === 0) return;
    }
  }

  return {
    refused,
    accepted: () => {
      pause = pauses.first;
    },
    /** The full budget is another now; a cut stays in proportion. */
    setCapacity: (next: number) => {
      const part = allowed / capacity;
      capacity = next;
      change(next * part);
    },
    /** The budget that no 429 has cut. */
    full: () => capacity,
    pausedFor,
    resumed,
    stop: () => {
      stopped.abort();
      clearTimeout(growing);
    },
  };
}
