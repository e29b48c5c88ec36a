import Bottleneck from 'bottleneck';
import type { Logger } from 'pino';
import { RateLimitedError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { ending } from '../../shared/shutdown.ts';
import { createTurns } from '../../shared/turns.ts';
import { type Clock, createSleeps, createThrottle, type Pauses, systemClock } from './throttle.ts';
import { createTokenPool, type EndToken, type TokenLog } from './token-pool.ts';

/** Lower numbers go first: a retry has waited once; no caller waits for background work, which is never promoted. */
export const priorities = { retry: 3, interactive: 5, bulk: 8, background: 9 } as const;
export type Priority = keyof typeof priorities;

/** Sends a request, which counts as sent unless the attempt calls `noteUnsent`: its token is then returned at once. */
export type Attempt<T> = (noteUnsent: () => void) => Promise<T>;

export interface TurnOptions {
  readonly priority: Priority;
  readonly signal?: AbortSignal | undefined;
  /** Receives the expected wait in milliseconds. Not called if the turn is immediate. */
  readonly onWait?: ((milliseconds: number) => void) | undefined;
}

export interface Budget {
  /** Requests per minute that we allow ourselves now; undefined without a limit. */
  readonly limit: number | undefined;
  /** The same, before any cut after a 429. */
  readonly full: number | undefined;
  readonly remaining: number | undefined;
  readonly queued: number;
  /** The limit depends on the plan, which no answer has shown yet. */
  readonly isAssumed: boolean;
}

/** Every attempt of every request passes it. `take` throws `RateLimitedError` if the wait would be too long. */
export interface Limiter {
  take<T>(attempt: Attempt<T>, turn: TurnOptions): Promise<T>;
  /** Reports a 429: all requests pause. `retryAfter` in milliseconds, if the API gave one. */
  refused(retryAfter: number | undefined): void;
  accepted(): void;
  budget(): Budget;
  isFull(): boolean;
  setLimit(limit: number): void;
  stop(): Promise<void>;
}

export function waitTooLongError(milliseconds: number): RateLimitedError {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new RateLimitedError(
    `the account's request limit is used up: the next request can be sent in about ${seconds} s. Nothing was sent`,
    seconds,
  );
}

export interface SlidingLimiterOptions {
  limit: number;
  /** The limit is assumed until `setLimit` is called. */
  isAssumed?: boolean;
  /** The part of the limit that we use, above 0 up to 1. */
  share: number;
  maxWaitMs: number;
  windowMs?: number;
  /** Pauses after 429s without Retry-After. Default: those for a window of a minute. */
  pauses?: Pauses;
  tokens?: TokenLog | undefined;
  /** Longest time until a request is answered or given up, in milliseconds: replicas forget its token one window later. */
  timeoutMs?: number;
  random?: () => number;
  /** For everything except the queue of Bottleneck, which has timers of its own. */
  clock?: Clock;
}

interface Waiter {
  readonly rank: () => number;
  start(endToken: EndToken): void;
  leave(reason: unknown): void;
}

/** Longest queue: at one turn a second, the two-hundredth would come too late. */
const maxQueue = 100;

/** A token returns after 1.01 windows: the server stamps a request before we see its answer. */
const holdFactor = 1.01;

/** Promotes a bulk request after it has waited this fraction of `maxWaitMs`, so none starves. */
const patience = 1 / 3;

/** Milliseconds between two looks for a token. The longest is for tokens that other replicas return early. */
const looks = { shortest: 2, longest: 1_000 };

/** If the wall clock steps back by more than this, the queue is replaced. Milliseconds. */
const stepBack = 1_000;

const wallClockDrift = () => Date.now() - performance.now();

/** Small accounts are paced, so that a burst is spread out. Large accounts need the speed. */
function pacing(limit: number, windowMs: number) {
  const small = limit <= 60;
  return { maxConcurrent: small ? 4 : 8, minTime: small ? Math.min(150, windowMs / 400) : 0 };
}

/**
 * Keeps any window of the server below `limit * share`, fixed or sliding. Each request takes a token, which returns one window
 * after the answer; never together, since two bursts could then meet at a window's border. Bottleneck starts the turns: each
 * waits for a token, and then sends the request that goes first.
 */
export function createSlidingLimiter(options: SlidingLimiterOptions): Limiter {
  const { limit, share, maxWaitMs, windowMs = 60_000, timeoutMs = 30_000, pauses, tokens } = options;
  const { random = Math.random, clock = systemClock } = options;
  const partOf = (whole: number) => Math.max(1, Math.floor(whole * share));
  const waiting = new Set<Waiter>();
  const { sleep, wake } = createSleeps(clock);
  const throttle = createThrottle({ capacity: partOf(limit), windowMs, random, pauses, now: clock.now });
  const holdMs = windowMs * holdFactor;
  const times = { holdMs, timeoutMs, now: clock.now };
  const pool = createTokenPool({ capacity: throttle.allowed, ...times, shared: tokens, onChange: wake });
  const oneByOne = createTurns();
  let known = limit;
  let { isAssumed = false } = options;
  let stopping: Promise<void> | undefined;
  let queue = newQueue();
  let lastDrift = wallClockDrift();
  let endWatch: (() => void) | undefined;

  function newQueue(): Bottleneck {
    const created = new Bottleneck(pacing(known, windowMs));
    // A listener that throws makes Bottleneck recurse until the stack overflows. No turn throws.
    created.on('error', () => {});
    return created;
  }

  /** Of those with the same rank, the one that came first. */
  const first = () => [...waiting].sort((one, other) => one.rank() - other.rank())[0];

  /** Waits for a token as long as a request needs one, and gives it to the request that goes first by then. */
  async function nextTurn(): Promise<{ ended: Promise<void> } | undefined> {
    while (waiting.size > 0) {
      const endToken = throttle.waitMs() > 0 ? undefined : await pool.take();
      const waiter = first();
      if (endToken !== undefined && waiter !== undefined) {
        throttle.started();
        const ended = new Promise<void>((end) => {
          waiter.start((isSent) => end(endToken(isSent)));
        });
        return { ended };
      }
      endToken?.(false);
      const wait = Math.max(looks.shortest, throttle.waitMs(), pool.waitFor(0));
      if (endToken === undefined) await sleep(Math.min(looks.longest, wait));
    }
    return undefined;
  }

  /** Adds a turn to the queue. A turn that is dropped has no request. */
  function addTurn(): void {
    queue.schedule(async () => await (await oneByOne(nextTurn))?.ended).catch(() => {});
  }

  /** Bottleneck schedules by the wall clock. After a step back it would stop for as long, so another queue takes over. */
  function watchClock(): void {
    const drift = wallClockDrift();
    const isBehind = lastDrift - drift > stepBack;
    lastDrift = drift;
    if (isBehind) {
      queue.stop({ dropWaitingJobs: true }).catch(() => {});
      queue = newQueue();
      for (const _waiter of waiting) addTurn();
    }
    endWatch?.();
    endWatch = waiting.size > 0 ? clock.later(stepBack, watchClock) : undefined;
  }

  const isFull = () => waiting.size >= maxQueue;

  async function take<T>(attempt: Attempt<T>, turn: TurnOptions): Promise<T> {
    if (tokens !== undefined) await pool.refresh();
    turn.signal?.throwIfAborted();
    if (stopping !== undefined) throw ending();
    const ahead = [...waiting].filter((other) => other.rank() <= priorities[turn.priority]).length;
    const expected = Math.max(pool.waitFor(ahead), throttle.pausedFor());
    if (expected > maxWaitMs || isFull()) throw waitTooLongError(expected);
    if (expected > 0) turn.onWait?.(expected);
    const endToken = await inTurn(turn);
    let isSent = true;
    const noteUnsent = () => {
      isSent = false;
    };
    try {
      return await attempt(noteUnsent);
    } finally {
      endToken(isSent);
    }
  }

  /** Waits in the queue. Leaves it on abort, or after the longest wait. */
  function inTurn({ priority, signal }: TurnOptions): Promise<EndToken> {
    return new Promise((resolve, reject) => {
      const since = clock.now();
      // Only pages of a long job can starve.
      const isImpatient = () => priority === 'bulk' && clock.now() - since >= maxWaitMs * patience;
      function endWaiting(): void {
        waiting.delete(waiter);
        endTooLong();
        signal?.removeEventListener('abort', onAbort);
      }
      const waiter: Waiter = {
        rank: () => (isImpatient() ? priorities.retry : priorities[priority]),
        start: (token) => {
          endWaiting();
          resolve(token);
        },
        leave: (reason) => {
          endWaiting();
          reject(reason);
        },
      };
      const onAbort = () => waiter.leave(signal?.reason);
      const endTooLong = clock.later(maxWaitMs, () => waiter.leave(waitTooLongError(pool.waitFor(0))));
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.add(waiter);
      addTurn();
      watchClock();
    });
  }

  async function stop(): Promise<void> {
    for (const waiter of waiting) waiter.leave(ending());
    pool.stop();
    endWatch?.();
    wake();
    await queue.stop({ dropWaitingJobs: true });
  }

  return {
    take,
    refused: throttle.refused,
    accepted: throttle.accepted,
    budget: () => {
      const remaining = Math.max(0, pool.available() - waiting.size);
      return { limit: pool.size(), full: throttle.full(), remaining, queued: waiting.size, isAssumed };
    },
    isFull,
    setLimit: (next) => {
      // A replica that knows less than the others would get no token.
      if (tokens !== undefined) return;
      isAssumed = false;
      if (next === known) return;
      known = next;
      // Without a datastore, Bottleneck applies settings at once. The promise carries no more information.
      void queue.updateSettings(pacing(next, windowMs));
      throttle.setFull(partOf(next));
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

export function createLimiter(settings: LimitSettings, tokens: TokenLog | undefined, log: Logger): Limiter {
  const { rateLimit, rateShare: share, maxWaitMs, timeoutMs } = settings;
  if (rateLimit === 'off') return createUnlimited(maxWaitMs);
  const limit = rateLimit === 'auto' ? standardLimit : rateLimit;
  const isAssumed = rateLimit === 'auto' && tokens === undefined;
  const limiter = createSlidingLimiter({ limit, isAssumed, share, maxWaitMs, timeoutMs, tokens });
  const { full = 0 } = limiter.budget();
  // Without Redis each replica uses at least one token.
  if (tokens !== undefined && tokens.replicas > full)
    log.warn({ tokens: full }, 'ACADEMY_REPLICAS is above the tokens: without Redis, replicas can exceed the limit');
  return limiter;
}

/** For `ACADEMY_RATE_LIMIT=off`: requests do not wait for a turn, but all pause after a 429. Loopback only. */
export function createUnlimited(maxWaitMs: number, clock: Clock = systemClock): Limiter {
  // Only the pause matters here, neither a budget nor spacing.
  const throttle = createThrottle({ capacity: 1, windowMs: 1, random: Math.random, now: clock.now });
  const { sleep, wake } = createSleeps(clock);
  let isStopped = false;
  return {
    take: async (attempt, { signal, onWait }) => {
      const pause = throttle.pausedFor();
      if (pause > maxWaitMs) throw waitTooLongError(pause);
      if (pause > 0) onWait?.(pause);
      while (throttle.pausedFor() > 0 && !isStopped) await sleep(throttle.pausedFor());
      signal?.throwIfAborted();
      // A call of many requests, such as a bulk enrollment, ends at its next request.
      if (isStopped) throw ending();
      return await attempt(() => {});
    },
    refused: throttle.refused,
    accepted: throttle.accepted,
    budget: () => ({ limit: undefined, full: undefined, remaining: undefined, queued: 0, isAssumed: false }),
    isFull: () => false,
    setLimit: () => {},
    stop: async () => {
      isStopped = true;
      wake();
    },
  };
}
