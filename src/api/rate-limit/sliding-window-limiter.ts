import Bottleneck from 'bottleneck';
import type { Logger } from 'pino';
import { isObject } from '../../shared/json.ts';
import { ending } from '../../shared/shutdown.ts';
import {
  type Attempt,
  type Limiter,
  priorities,
  type TokenLog,
  type TurnOptions,
  waitTooLongError,
} from './limiter.ts';
import { type Clock, createThrottle, type Pauses, systemClock } from './throttle.ts';
import { createTokenPool } from './token-pool.ts';

interface Waiter {
  /** Bottleneck's priority: lower goes first. */
  priority: number;
  /** False once the waiter has left, with or without a turn. */
  isWaiting(): boolean;
  /** Runs the request. Never rejects. */
  start(): Promise<void>;
  drop(): void;
}

interface Pacing {
  maxConcurrent: number;
  /** Least time between two starts, in milliseconds. */
  minTime: number;
}

interface PriorityQueueOptions extends Pacing, Pick<SlidingLimiterOptions, 'drift'> {
  /** Turns that are free at this moment. */
  free: () => number;
  clock: Clock;
}

/** If the wall clock steps back by more than this, the queue is replaced. Milliseconds. */
const stepBack = 1_000;

const wallClockDrift = () => Date.now() - performance.now();

/**
 * Bottleneck's queue, with two of its faults worked around. It schedules by the wall clock, so a step back would freeze
 * it: then this replaces the queue. And a priority cannot change: a waiter that moves up gets a second place, and the
 * first one to come counts.
 */
function createPriorityQueue({ free, clock, drift = wallClockDrift, ...initial }: PriorityQueueOptions) {
  const waiters = new Set<Waiter>();
  let pacing: Pacing = initial;
  let queue = newQueue();
  let lastDrift = drift();
  let endWatch: (() => void) | undefined;

  function newQueue(): Bottleneck {
    const created = new Bottleneck({ reservoir: free(), ...pacing });
    // A listener that throws makes Bottleneck recurse until the stack overflows. Callers receive its errors anyway.
    created.on('error', () => {});
    return created;
  }

  function place(waiter: Waiter, priority: number): void {
    const here = queue;
    const job = async () => {
      // A waiter that has left is still in the queue. So is the second place of a waiter that moved up.
      if (!waiter.isWaiting()) return void queue.incrementReservoir(1);
      waiters.delete(waiter);
      await waiter.start();
    };
    here.schedule({ priority }, job).catch(() => {
      if (here === queue) waiter.drop();
    });
  }

  /** Bottleneck schedules the next job by the wall clock. After a step back that time is far away. */
  function checkClock(): void {
    const now = drift();
    const isBehind = lastDrift - now > stepBack;
    lastDrift = now;
    if (!isBehind) return;
    const old = queue;
    queue = newQueue();
    old.stop({ dropWaitingJobs: true }).catch(() => {});
    for (const waiter of waiters) if (waiter.isWaiting()) place(waiter, waiter.priority);
  }

  function watchClock(): void {
    endWatch ??= clock.later(
      1_000,
      () => {
        endWatch = undefined;
        for (const waiter of waiters) if (!waiter.isWaiting()) waiters.delete(waiter);
        if (waiters.size === 0) return;
        checkClock();
        watchClock();
      },
      'idle',
    );
  }

  return {
    enqueue: (waiter: Waiter): void => {
      checkClock();
      waiters.add(waiter);
      watchClock();
      place(waiter, waiter.priority);
    },
    moveUp: (waiter: Waiter, priority: number): void => {
      waiter.priority = priority;
      if (waiter.isWaiting()) place(waiter, priority);
    },
    /** Changes the number of free turns by `count`, which may be negative. */
    refill: (count: number): void => void queue.incrementReservoir(count),
    setPacing: (next: Pacing): void => {
      pacing = next;
      // Without a datastore, Bottleneck applies settings at once. The promise carries no more information.
      void queue.updateSettings({ ...next });
    },
    stop: async (): Promise<void> => {
      endWatch?.();
      await queue.stop({ dropWaitingJobs: true });
    },
  };
}

export interface SlidingLimiterOptions {
  limit: number;
  /** The limit is assumed until `setLimit` is called. */
  isAssumed?: boolean;
  /** The part of the limit that we use, above 0 up to 1. */
  share: number;
  /** Longest wait of a call for its turn, in milliseconds. */
  maxWaitMs: number;
  /** Length of the API's window in milliseconds. */
  windowMs?: number;
  /** Pauses after 429s without Retry-After. Default: those for a window of a minute. */
  pauses?: Pauses;
  /** Shares the limit with other replicas. */
  tokens?: TokenLog | undefined;
  /** Longest time until a request is answered or given up, in milliseconds: replicas forget its token one window later. */
  timeoutMs?: number;
  random?: () => number;
  /** For everything except the queue of Bottleneck, which has timers of its own. */
  clock?: Clock;
  /** How far the wall clock is ahead of the monotonic one, in milliseconds. */
  drift?: (() => number) | undefined;
}

/** Longest queue: at one turn a second, the two-hundredth would come too late. */
const maxQueue = 100;

/** A token returns after 1.01 windows: the server stamps a request before we see its answer. */
const holdFactor = 1.01;

/** Promotes a bulk request after it has waited this fraction of `maxWaitMs`, so none starves. */
const patience = 1 / 3;

/** Small accounts are paced, so that a burst is spread out. Large accounts need the speed. */
function pacing(limit: number, windowMs: number) {
  const small = limit <= 60;
  return { maxConcurrent: small ? 4 : 8, minTime: small ? Math.min(150, windowMs / 400) : 0 };
}

/**
 * Keeps any window of the server below `limit * share`, whether it counts fixed or sliding windows. Each request takes
 * a token, which returns one window after the answer. Tokens are never refilled together: two bursts could then meet at
 * a window's border.
 */
export function createSlidingLimiter(options: SlidingLimiterOptions): Limiter {
  const { limit, share, maxWaitMs, windowMs = 60_000, timeoutMs = 30_000, pauses, tokens, drift } = options;
  const { random = Math.random, clock = systemClock } = options;
  const partOf = (whole: number) => Math.max(1, Math.floor(whole * share));
  const capacity = partOf(limit);
  const waiting = new Set<Waiter>();
  const pool = createTokenPool({
    capacity,
    hold: windowMs * holdFactor,
    timeoutMs,
    clock,
    refill: (count) => queue.refill(count),
    waiting: () => waiting.size,
    log: tokens,
    onPause: (milliseconds) => throttle.refused(milliseconds),
    onLimit: (next) => (options.isAssumed ? setLimit(next) : undefined),
  });
  const queue = createPriorityQueue({
    ...pacing(limit, windowMs),
    free: pool.free,
    clock,
    drift,
  });
  const throttle = createThrottle({ capacity, windowMs, random, pauses, clock, setAllowed: pool.setAllowed });
  let known = limit;
  let { isAssumed = false } = options;
  let stopping: Promise<void> | undefined;

  async function attemptNow<T>(attempt: () => Promise<Attempt<T>>, turn: TurnOptions): Promise<T> {
    const token = pool.spend();
    let sent = false;
    try {
      do await throttle.resumed(turn.signal);
      while (!(await token.isReady()));
      // From here on the request counts as sent, unless the attempt proves otherwise.
      sent = true;
      const result = await attempt();
      sent = result.sent;
      return result.value;
    } finally {
      if (sent) token.returnLater();
      else token.returnNow();
    }
  }

  const isFull = () => waiting.size >= maxQueue;

  function countAhead(priority: number): number {
    return [...waiting].filter((other) => other.priority <= priority).length;
  }

  function take<T>(attempt: () => Promise<Attempt<T>>, turn: TurnOptions): Promise<T> {
    if (tokens !== undefined) return pool.refresh().then(() => takeNow(attempt, turn));
    return takeNow(attempt, turn);
  }

  function takeNow<T>(attempt: () => Promise<Attempt<T>>, turn: TurnOptions): Promise<T> {
    if (turn.signal?.aborted) return Promise.reject(turn.signal.reason);
    if (stopping !== undefined) return Promise.reject(ending());
    const expected = Math.max(pool.waitFor(countAhead(priorities[turn.priority])), throttle.pausedFor());
    if (expected > maxWaitMs || isFull()) return Promise.reject(waitTooLongError(expected));
    if (expected > 0) turn.onWait?.(expected);
    return inTurn(attempt, turn);
  }

  /** Waits in the queue. Leaves it on abort, or after the longest wait. */
  function inTurn<T>(attempt: () => Promise<Attempt<T>>, { priority, ...turn }: TurnOptions): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leave = (reason: unknown) => {
        if (!endWaiting()) return;
        pool.demand();
        reject(reason);
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
      const endTooLong = clock.later(maxWaitMs, () => leave(waitTooLongError(pool.waitFor(0))));
      // Only pages of a long job can starve. A second place costs a little time, so no other request gets one.
      const endImpatience =
        priority === 'bulk'
          ? clock.later(maxWaitMs * patience, () => queue.moveUp(waiter, priorities.retry))
          : undefined;
      function endWaiting(): boolean {
        endTooLong();
        endImpatience?.();
        turn.signal?.removeEventListener('abort', onAbort);
        return waiting.delete(waiter);
      }
      turn.signal?.addEventListener('abort', onAbort, { once: true });
      waiting.add(waiter);
      queue.enqueue(waiter);
      pool.demand();
    });
  }

  function setLimit(next: number): void {
    isAssumed = false;
    if (next === known) return;
    known = next;
    queue.setPacing(pacing(next, windowMs));
    throttle.setCapacity(partOf(next));
  }

  /** The other replicas learn of a pause with their next look at the log. */
  function refused(retryAfter: number | undefined): void {
    throttle.refused(retryAfter);
    tokens?.reportPause(throttle.pausedFor());
  }

  async function stop(): Promise<void> {
    pool.stop();
    throttle.stop();
    await queue.stop();
  }

  return {
    take,
    refused,
    accepted: throttle.accepted,
    budget: () => {
      const remaining = Math.max(0, pool.available() - waiting.size);
      return { limit: pool.allowed(), full: throttle.full(), remaining, queued: waiting.size, isAssumed };
    },
    isFull,
    setLimit: (next) => {
      setLimit(next);
      tokens?.setLimit(next);
    },
    stop: () => (stopping ??= stop()),
  };
}

/** Requests a minute. API document: "Limits". */
const standardLimit = 60;
const academyPlanLimit = 300;

/** The API document mentions an "academy plan" but not its exact name. */
export function limitOfPlan(answer: object): number | undefined {
  const account: unknown = 'account' in answer ? answer.account : undefined;
  const plan: unknown = isObject(account) ? account.subscription_plan : undefined;
  if (typeof plan !== 'string') return undefined;
  return /academy/i.test(plan) ? academyPlanLimit : standardLimit;
}

interface LimitSettings {
  readonly rateLimit: number | 'auto' | 'off';
  readonly rateShare: number;
  readonly maxWaitMs: number;
  readonly timeoutMs: number;
}

/** The limiter of the settings. `tokens`: shares the limit with other replicas. */
export function createLimiter(
  { rateLimit, rateShare, maxWaitMs, timeoutMs }: LimitSettings,
  tokens: TokenLog | undefined,
  log: Logger,
): Limiter {
  if (rateLimit === 'off') return createUnlimited(maxWaitMs);
  const isAssumed = rateLimit === 'auto';
  const limit = isAssumed ? standardLimit : rateLimit;
  const limiter = createSlidingLimiter({ limit, isAssumed, share: rateShare, maxWaitMs, timeoutMs, tokens });
  // Without Redis each replica uses at least one token.
  const { full = Number.POSITIVE_INFINITY } = limiter.budget();
  if (tokens !== undefined && tokens.replicas > full)
    log.warn({ tokens: full }, 'ACADEMY_REPLICAS is above the tokens: without Redis, replicas can exceed the limit');
  return limiter;
}

/** For `ACADEMY_RATE_LIMIT=off`: requests do not wait for a turn, but all pause after a 429. Loopback only. */
export function createUnlimited(maxWaitMs: number, clock: Clock = systemClock): Limiter {
  // A window of almost nothing: only the pause matters here, neither a budget nor spacing.
  const throttle = createThrottle({ capacity: 1, windowMs: 1, random: Math.random, clock, setAllowed: () => {} });
  let isStopped = false;
  return {
    take: async (attempt, { signal, onWait }) => {
      signal?.throwIfAborted();
      // A call of many requests, such as a bulk enrollment, ends at its next request.
      if (isStopped) throw ending();
      const pause = throttle.pausedFor();
      if (pause > maxWaitMs) throw waitTooLongError(pause);
      if (pause > 0) onWait?.(pause);
      await throttle.resumed(signal);
      return (await attempt()).value;
    },
    refused: throttle.refused,
    accepted: throttle.accepted,
    budget: () => ({ limit: undefined, full: undefined, remaining: undefined, queued: 0, isAssumed: false }),
    isFull: () => false,
    setLimit: () => {},
    stop: async () => {
      isStopped = true;
      throttle.stop();
    },
  };
}
