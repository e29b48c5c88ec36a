import { randomUUID } from 'node:crypto';
import { ending } from '../../shared/shutdown.ts';
import type { LogState, TokenLog } from './limiter.ts';
import type { Clock } from './throttle.ts';

interface TokenPoolOptions {
  capacity: number;
  /** How long a token is in use after the answer of its request, in milliseconds. */
  hold: number;
  /** Longest time until a request is answered or given up, in milliseconds. */
  timeoutMs: number;
  clock: Clock;
  /** Changes Bottleneck's reservoir by a number, which may be negative. */
  refill(count: number): void;
  waiting(): number;
  /** The tokens of all replicas; undefined for one process. */
  log: TokenLog | undefined;
  onPause(milliseconds: number): void;
  onLimit(limit: number): void;
}

/** A token is sent within this time, or taken again in the log. An older look at the log says too little. */
const freshMs = 1_000;
/** Milliseconds. The longest is for tokens that others return early. */
const pauses = { shortest: 2, longest: 1_000, jitter: 20 };

/**
 * Counts the limiter's tokens: a sliding log of the requests of one window. A token is taken when a request waits, goes
 * to the queue as a turn, and returns one window after the answer. Replicas keep this log together. It forgets a token
 * without an answer one window after its request must have ended. While the common log is lost, each replica uses a
 * fixed part of the limit, after one window without tokens: what the others have sent may count until then.
 */
export function createTokenPool(options: TokenPoolOptions) {
  const { hold, timeoutMs, clock, refill, waiting, log, onPause, onLimit } = options;
  const leaseMs = hold + timeoutMs + freshMs;
  /** When each token of this process returns. Infinity while its request is under way. */
  const own = new Map<string, number>();
  /** Tokens for the next requests: they are being taken, or taken and turns of the queue. */
  const hand: { id: string; takenAt: number }[] = [];
  let allowed = options.capacity;
  let blockedUntil = log?.isUp() === false ? clock.now() + hold : 0;
  let seen: LogState | undefined;
  let seenAt = 0;
  let pauseId: string | undefined;
  let isFeeding = false;
  let isStopped = false;
  let wake = () => {};

  const isShared = () => log?.isUp() === true;
  const inHand = () => hand.filter(({ id }) => own.has(id)).length;
  /** One at a time of those that other replicas could use. */
  const wanted = () => (isShared() ? Math.min(1, waiting()) : waiting());
  const size = () => (log === undefined || log.isUp() ? allowed : Math.max(1, Math.floor(allowed / log.replicas)));

  /** Until when no token is free at all, and when those in use return: milliseconds from now, the earliest first. */
  function look(): { blocked: number; returns: number[] } {
    const now = clock.now();
    for (const [id, at] of own) if (at <= now) own.delete(id);
    const [blocked, returns] = isShared()
      ? [(seen?.blockedMs ?? 0) + seenAt, (seen?.returns ?? []).map((time) => time + seenAt)]
      : [blockedUntil, [...own.values()].sort((one, other) => one - other)];
    return { blocked: Math.max(0, blocked - now), returns: returns.map((at) => at - now).filter((time) => time > 0) };
  }

  function learn(state: LogState): void {
    seen = state;
    seenAt = clock.now();
    if (state.limit !== undefined) onLimit(state.limit);
    if (state.pause !== undefined && state.pause.id !== pauseId) onPause(state.pause.ms);
    pauseId = state.pause?.id;
  }

  /** Whether the token is ours now. Without an id, only looks. */
  async function take(id?: string): Promise<boolean> {
    const { blocked, returns } = look();
    let isTaken = blocked === 0 && returns.length < size();
    if (log?.isUp()) {
      const state = await log.take(id, allowed, leaseMs).catch(() => undefined);
      if (state !== undefined) learn(state);
      isTaken = state?.isTaken ?? false;
    }
    if (isTaken && id !== undefined) own.set(id, Number.POSITIVE_INFINITY);
    return isTaken;
  }

  async function pause(): Promise<void> {
    const { blocked, returns } = look();
    const next = Math.min(pauses.longest, Math.max(pauses.shortest, blocked, returns[0] ?? 0));
    // With some chance in it, no replica is always the first to ask.
    const milliseconds = next + (isShared() ? Math.random() * pauses.jitter : 0);
    await new Promise<void>((resolve) => {
      const cancel = clock.later(milliseconds, resolve, 'idle');
      wake = () => {
        cancel();
        resolve();
      };
    });
  }

  async function feed(): Promise<void> {
    if (isFeeding) return;
    isFeeding = true;
    while (hand.length < wanted() && !isStopped) {
      const token = { id: randomUUID(), takenAt: clock.now() };
      hand.push(token);
      if (await take(token.id)) {
        refill(1);
        continue;
      }
      hand.splice(hand.indexOf(token), 1);
      await pause();
    }
    isFeeding = false;
    giveBack();
  }

  function setReturn(id: string, milliseconds: number): void {
    if (milliseconds > 0) own.set(id, clock.now() + milliseconds);
    else own.delete(id);
    if (isShared()) log?.setReturns([[id, milliseconds]]);
    if (milliseconds === 0) wake();
  }

  /** Callers may leave after a token was taken. */
  function giveBack(): void {
    const surplus = inHand() - (isStopped ? 0 : waiting());
    for (let count = 0; count < surplus; count += 1) {
      setReturn(hand.shift()?.id ?? '', 0);
      refill(-1);
    }
  }

  /** The token of a request that the queue has started. */
  function spend() {
    // The queue may start a request whose token was given back just before: it takes another one.
    const token = hand.shift() ?? { id: randomUUID(), takenAt: Number.NEGATIVE_INFINITY };
    void feed();
    return {
      /** Whether the request may be sent now. If not, resolves after a pause, and the caller asks again. */
      isReady: async (): Promise<boolean> => {
        if (own.has(token.id) && (!isShared() || clock.now() - token.takenAt < freshMs)) return true;
        if (isStopped) throw ending();
        const takenAt = clock.now();
        if (await take(token.id)) token.takenAt = takenAt;
        else await pause();
        return false;
      },
      /** The request was sent: the token returns after `hold`. */
      returnLater: () => setReturn(token.id, hold),
      returnNow: () => setReturn(token.id, 0),
    };
  }

  const endListening = log?.onChange((isUp) => {
    blockedUntil = clock.now() + hold;
    seen = undefined;
    if (isUp) log.setReturns([...own].map(([id, at]) => [id, Math.min(leaseMs, at - clock.now())]));
    wake();
  });

  return {
    spend,
    /** Turns that the queue may use now. */
    free: inHand,
    /** Requests that could be sent now. */
    available: (): number => {
      const { blocked, returns } = look();
      return blocked > 0 ? 0 : Math.max(0, size() - returns.length) + inHand();
    },
    /** Milliseconds until a caller with `ahead` others before it gets a token; 0 if one is free now. */
    waitFor: (ahead: number): number => {
      const { blocked, returns } = look();
      const place = returns.length - size() + ahead - inHand();
      if (place < 0) return blocked;
      const at = returns[place];
      // The token of a request under way returns `hold` after its answer.
      const last = hold * (1 + Math.max(0, Math.floor((place - returns.length) / size())));
      return Math.max(1, blocked, at === undefined || at === Number.POSITIVE_INFINITY ? last : at);
    },
    /** Brings what `waitFor` knows of other replicas up to date. */
    refresh: async (): Promise<void> => {
      if (isShared() && (seen === undefined || clock.now() - seenAt > freshMs)) await take();
    },
    /** The number of requests that wait for a token has changed. */
    demand: (): void => {
      giveBack();
      void feed();
    },
    allowed: size,
    /** Changes how many tokens are in use, now or as they return. */
    setAllowed: (count: number): void => {
      allowed = count;
      wake();
    },
    stop: (): void => {
      isStopped = true;
      endListening?.();
      wake();
      giveBack();
    },
  };
}
