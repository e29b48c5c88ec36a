import { ending } from '../../shared/shutdown.ts';
import { type Attempt, type Limiter, priorities, type Turn, tooLate } from './limiter.ts';
import { createTurns, type Waiter } from './priority-queue.ts';
import { createPacer, type Pauses } from './throttle.ts';
import { createTokens } from './token-pool.ts';

export interface SlidingLimiterOptions {
  /** Requests that the API allows in a window. */
  limit: number;
  /** The part of it that we take, above 0 up to 1. */
  share: number;
  /** Milliseconds that a call may wait for its turn. */
  maxWaitMs: number;
  /** Length of the API's window in milliseconds. */
  windowMs?: number;
  /** After 429s without Retry-After; those of a window of a minute, where it is left out. */
  pauses?: Pauses;
  random?: () => number;
  /** How far the wall clock is ahead of the monotonic one, in milliseconds. */
  drift?: () => number;
}

/** Longest queue. Nobody should wait for the two-hundredth turn at one a second. */
const longestQueue = 100;

/** A token stays away one window and a hundredth: the server stamps a request before we see its answer. */
const holdFactor = 1.01;

/** Who has waited this part of the longest wait goes before all who have not: nobody is passed over for ever. */
const patience = 1 / 3;

/** Small accounts are paced so that a burst does not arrive as one lump; large ones need the speed. */
function pacing(limit: number, windowMs: number) {
  const small = limit <= 60;
  return { maxConcurrent: small ? 4 : 8, minTime: small ? Math.min(150, windowMs / 400) : 0 };
}

/**
 * Keeps any window of the server below `limit * share`, whatever kind of window it counts: each request takes a token,
 * and the token comes back one window after the request's answer. No refresh, since that lets two lots pass at the border.
 */
export function createSlidingLimiter(options: SlidingLimiterOptions): Limiter {
  const { limit, share, maxWaitMs, windowMs = 60_000, pauses, random = Math.random, drift } = options;
  const partOf = (whole: number) => Math.max(1, Math.floor(whole * share));
  const capacity = partOf(limit);
  const tokens = createTokens(capacity, windowMs * holdFactor, (count) => turns.refill(count));
  const turns = createTurns({
    ...pacing(limit, windowMs),
    free: tokens.free,
    ...(drift === undefined ? {} : { drift }),
  });
  const pacer = createPacer({ capacity, windowMs, random, pauses, setAllowed: tokens.setAllowed });
  const waiting = new Set<Waiter>();
  let stopping: Promise<void> | undefined;

  async function attemptNow<T>(attempt: () => Promise<Attempt<T>>, turn: Turn): Promise<T> {
    tokens.spend();
    let sent = false;
    try {
      await pacer.resumed(turn.signal);
      // From here on the request counts as sent unless the attempt proves otherwise.
      sent = true;
      const result = await attempt();
      sent = result.sent;
      return result.value;
    } finally {
      if (sent) tokens.returnLater();
      else tokens.returnNow();
    }
  }

  const isFull = () => waiting.size >= longestQueue;

  function countAhead(priority: number): number {
    return [...waiting].filter((other) => other.priority <= priority).length;
  }

  function take<T>(attempt: () => Promise<Attempt<T>>, turn: Turn): Promise<T> {
    if (turn.signal?.aborted) return Promise.reject(turn.signal.reason);
    if (stopping !== undefined) return Promise.reject(ending());
    const expected = Math.max(tokens.waitFor(countAhead(priorities[turn.priority])), pacer.pausedFor());
    if (expected > maxWaitMs || isFull()) return Promise.reject(tooLate(expected));
    if (expected > 0) turn.onWait?.(expected);
    return inTurn(attempt, turn);
  }

  /** Waits in the queue, but leaves it at once on abort or when the longest wait has passed. */
  function inTurn<T>(attempt: () => Promise<Attempt<T>>, { priority, ...turn }: Turn): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leave = (reason: unknown) => {
        if (endWaiting()) reject(reason);
      };
      const waiter: Waiter = {
        priority: priorities[priority],
        isWaiting: () => waiting.has(waiter),
        start: async () => {
          endWaiting();
          await attemptNow(attempt, { priority, ...turn }).then(resolve, reject);
        },
        drop: () => leave(ending()),
      };
      const onAbort = () => leave(turn.signal?.reason);
      const tooLong = setTimeout(() => leave(tooLate(tokens.waitFor(0))), maxWaitMs);
      // Only pages of a long job can be passed over again and again. A second place costs a little time, so others get none.
      const impatient =
        priority === 'bulk'
          ? setTimeout(() => turns.moveUp(waiter, priorities.retry), maxWaitMs * patience)
          : undefined;
      function endWaiting(): boolean {
        clearTimeout(tooLong);
        clearTimeout(impatient);
        turn.signal?.removeEventListener('abort', onAbort);
        return waiting.delete(waiter);
      }
      turn.signal?.addEventListener('abort', onAbort, { once: true });
      waiting.add(waiter);
      turns.enqueue(waiter);
    });
  }

  async function stop(): Promise<void> {
    tokens.stop();
    pacer.stop();
    await turns.stop();
  }

  return {
    take,
    refused: pacer.refused,
    accepted: pacer.accepted,
    budget: () => {
      const remaining = Math.max(0, tokens.free() - waiting.size);
      return { limit: tokens.allowed(), full: pacer.full(), remaining, queued: waiting.size };
    },
    isFull,
    setLimit: (next) => {
      turns.setPacing(pacing(next, windowMs));
      pacer.setCapacity(partOf(next));
    },
    stop: () => (stopping ??= stop()),
  };
}
