import Bottleneck from 'bottleneck';
import { type Attempt, ending, type Limiter, priorities, type Turn, tooLate } from './limiter.ts';
import { createPacer } from './pacer.ts';
import { createTokens } from './tokens.ts';

export interface SlidingLimiterOptions {
  /** Requests that the API allows in a window. */
  limit: number;
  /** The part of it that we take, above 0 up to 1. */
  share: number;
  /** Milliseconds that a call may wait for its turn. */
  maxWaitMs: number;
  /** Length of the API's window in milliseconds. */
  windowMs?: number;
  random?: () => number;
}

/** Longest queue. Bottleneck accepts jobs slowly, and nobody waits for the two-hundredth turn. */
const longestQueue = 100;

/** A token stays away one window and a hundredth: the server stamps a request before we see its answer. */
const holdFactor = 1.01;

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
  const { limit, share, maxWaitMs, windowMs = 60_000, random = Math.random } = options;
  const partOf = (whole: number) => Math.max(1, Math.floor(whole * share));
  const capacity = partOf(limit);
  const queue = new Bottleneck({
    reservoir: capacity,
    ...pacing(limit, windowMs),
    highWater: longestQueue,
    strategy: Bottleneck.strategy.OVERFLOW,
  });
  // A listener that throws makes Bottleneck recurse until the stack ends; its errors reach the callers anyway.
  queue.on('error', () => {});

  const tokens = createTokens(capacity, windowMs * holdFactor, (count) => void queue.incrementReservoir(count));
  const pacer = createPacer({ capacity, windowMs, random, setAllowed: tokens.setAllowed });
  let waiting = 0;

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

  function take<T>(attempt: () => Promise<Attempt<T>>, turn: Turn): Promise<T> {
    turn.signal?.throwIfAborted();
    const expected = Math.max(tokens.waitFor(waiting), pacer.pausedFor());
    if (expected > maxWaitMs || waiting >= longestQueue) return Promise.reject(tooLate(expected));
    if (expected > 0) turn.onWait?.(expected);
    return inTurn(attempt, turn);
  }

  /** Waits in the queue, but leaves it at once on abort or when the longest wait has passed. */
  function inTurn<T>(attempt: () => Promise<Attempt<T>>, turn: Turn): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let state: 'waiting' | 'started' | 'left' = 'waiting';
      waiting += 1;
      const leave = (reason: unknown) => {
        if (state !== 'waiting') return;
        finishWaiting('left');
        reject(reason);
      };
      const onAbort = () => leave(turn.signal?.reason);
      const timer = setTimeout(() => leave(tooLate(tokens.waitFor(0))), maxWaitMs);
      const finishWaiting = (next: 'started' | 'left') => {
        state = next;
        waiting -= 1;
        clearTimeout(timer);
        turn.signal?.removeEventListener('abort', onAbort);
      };
      turn.signal?.addEventListener('abort', onAbort, { once: true });
      const job = async (): Promise<void> => {
        // A caller that left is still in Bottleneck's queue: its turn costs no token.
        if (state === 'left') return tokens.unused();
        finishWaiting('started');
        await attemptNow(attempt, turn).then(resolve, reject);
      };
      // The job itself never rejects: this is Bottleneck dropping it, at the end of the program or from a full queue.
      const dropped = () => leave(stopping === undefined ? tooLate(tokens.waitFor(waiting)) : ending());
      queue.schedule({ priority: priorities[turn.priority] }, job).catch(dropped);
    });
  }

  let stopping: Promise<void> | undefined;

  async function stop(): Promise<void> {
    tokens.stop();
    pacer.stop();
    await queue.stop({ dropWaitingJobs: true });
  }

  return {
    take,
    refused: pacer.refused,
    accepted: pacer.accepted,
    budget: () => ({ limit: tokens.allowed(), remaining: Math.max(0, tokens.free() - waiting), queued: waiting }),
    setLimit: (next) => {
      // Settings of a limiter without a datastore change at once; the promise says nothing more.
      void queue.updateSettings(pacing(next, windowMs));
      pacer.setCapacity(partOf(next));
    },
    stop: () => (stopping ??= stop()),
  };
}
