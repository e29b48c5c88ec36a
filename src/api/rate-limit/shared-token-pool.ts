import { randomUUID } from 'node:crypto';
import type { LedgerState, TokenLedger } from './token-ledger.ts';
import type { TokenPool } from './token-pool.ts';

export interface SharedTokenPoolOptions {
  capacity: number;
  /** How long a token is in use after the answer of its request, in milliseconds. */
  hold: number;
  /** Changes the reservoir of the queue. */
  refill: (count: number) => void;
  ledger: TokenLedger;
  /** Requests that wait for a token in this process. */
  waiting: () => number;
  /** Another replica was refused with 429. */
  onPause(milliseconds: number): void;
  /** Another replica has read the account's limit. */
  onLimit(limit: number): void;
}

/** Most tokens that are taken at a time: those in hand are of no use to other replicas. */
const maxTaken = 4;
/** A waiting replica asks at least this often, so that the others know that it is alive. Milliseconds. */
const pollMs = 1_000;
/** An older look at the ledger says too little to refuse a call. Milliseconds. */
const freshMs = 1_000;
/** Pause after the ledger has failed without being lost. Milliseconds. */
const retryFailedMs = 100;
/** Parts of `hold`: how often the lease of tokens in use is renewed, and how much longer it is. */
const renewal = 1 / 12;
const spare = 1 / 4;

const nothing: LedgerState = {
  granted: 0,
  retryMs: 0,
  blockedMs: 0,
  returns: [],
  waitingElsewhere: [],
  pausedMs: 0,
  pauseId: 0,
  limit: undefined,
};

/**
 * The tokens of an account that several replicas use. Each request takes one from the ledger, and tells it when the
 * token returns. A lease returns the tokens of a replica that died. While the ledger is lost, the pool uses a fixed part
 * of the capacity, from one window after the loss on: until then, what the others have sent may still count.
 */
export function createSharedTokenPool(options: SharedTokenPoolOptions): TokenPool {
  const { hold, refill, ledger, waiting, onPause, onLimit } = options;
  const leaseMs = hold * (1 + spare);
  let allowed = options.capacity;
  /** Tokens in hand, with the time until which their lease is certain. */
  const inHand: { id: string; until: number }[] = [];
  /** Tokens of requests under way, oldest first. */
  const underWay: string[] = [];
  /** When the tokens of answered requests return; milliseconds of the monotonic clock. */
  const returning = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  let seen = nothing;
  let seenAt = Number.NEGATIVE_INFINITY;
  let pauseId: number | undefined;
  let isFeeding = false;
  let isStopped = false;
  /** While the ledger is lost: since when. Undefined while it is there. */
  let alone: { readonly since: number; free: number; isOpen: boolean } | undefined;
  let wake: (() => void) | undefined;

  function later(milliseconds: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, milliseconds);
    timers.add(timer.unref());
    return timer;
  }

  // While the ledger is lost -------------------------------------------------------------------------------------------

  const ownPart = () => Math.max(1, Math.floor(allowed / ledger.replicas));

  function spendOwn(): void {
    if (alone !== undefined) alone.free -= 1;
  }

  /** Frees tokens of the own part that are not in use. */
  function topUp(): void {
    if (alone?.isOpen !== true) return;
    const used = underWay.length + [...returning.values()].filter((time) => time > performance.now()).length;
    const change = Math.max(0, ownPart() - used) - alone.free;
    alone.free += change;
    if (change !== 0) refill(change);
  }

  function goAlone(): void {
    const since = performance.now();
    alone = { since, free: 0, isOpen: false };
    const mine = alone;
    if (inHand.length > 0) refill(-inHand.length);
    // When the ledger is back, it must not keep them.
    for (const { id } of inHand.splice(0)) returning.set(id, since);
    later(hold, () => {
      mine.isOpen = true;
      if (alone === mine) topUp();
    });
    wake?.();
  }

  function goTogether(): void {
    // Below 0 if the queue had started requests whose tokens were dropped with the ledger.
    if (alone !== undefined && alone.free !== 0) refill(-alone.free);
    alone = undefined;
    seenAt = Number.NEGATIVE_INFINITY;
    const now = performance.now();
    const tokens = new Map([...returning].map(([id, time]) => [id, time - now] as const));
    for (const id of underWay) tokens.set(id, leaseMs);
    ledger.setReturns(tokens);
    void feed();
  }

  const endListening = ledger.onChange((isUp) => (isUp ? goTogether() : goAlone()));
  if (!ledger.isUp()) goAlone();

  // While the ledger is there ------------------------------------------------------------------------------------------

  function learn(state: LedgerState): void {
    seen = state;
    seenAt = performance.now();
    // The first report may be old: its pause is what counts.
    const isNew = pauseId === undefined ? state.pausedMs > 0 : state.pauseId > pauseId;
    pauseId = Math.max(pauseId ?? 0, state.pauseId);
    if (isNew && state.pausedMs > 0) onPause(state.pausedMs);
    if (state.limit !== undefined) onLimit(state.limit);
  }

  async function ask(count: number): Promise<LedgerState> {
    const ids = Array.from({ length: count }, () => randomUUID());
    const askedAt = performance.now();
    try {
      const state = await ledger.acquire({ ids, capacity: allowed, waiting: waiting(), leaseMs });
      const taken = ids.slice(0, state.granted);
      if (alone !== undefined || isStopped) {
        ledger.setReturns(new Map(taken.map((id) => [id, 0])));
        return nothing;
      }
      learn(state);
      // The lease is longer than `hold` by the spare time: until that has passed, the request may be sent.
      for (const id of taken) inHand.push({ id, until: askedAt + leaseMs - hold });
      if (taken.length > 0) refill(taken.length);
      return state;
    } catch {
      // Redis may have granted them before it was lost.
      for (const id of ids) returning.set(id, askedAt);
      return { ...nothing, retryMs: retryFailedMs };
    }
  }

  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = later(milliseconds, resolve);
      wake = () => {
        clearTimeout(timer);
        timers.delete(timer);
        resolve();
      };
    });
  }

  /** Takes tokens for the requests that wait, until none waits. */
  async function feed(): Promise<void> {
    if (isFeeding) return;
    isFeeding = true;
    try {
      while (alone === undefined && !isStopped) {
        const wanted = Math.min(waiting() - inHand.length, maxTaken);
        if (wanted <= 0) break;
        const state = await ask(wanted);
        if (state.granted === 0) await pause(Math.max(2, Math.min(state.retryMs, pollMs)));
      }
      if (alone === undefined && !isStopped && waiting() === 0) giveBackHand();
    } finally {
      isFeeding = false;
    }
  }

  /** Callers may leave after their token was taken. */
  function giveBackHand(): void {
    if (inHand.length === 0) return;
    refill(-inHand.length);
    ledger.setReturns(new Map(inHand.splice(0).map(({ id }) => [id, 0])));
  }

  const renewals = setInterval(() => {
    if (alone !== undefined) return;
    for (const [id, time] of returning) if (time < performance.now()) returning.delete(id);
    const until = performance.now() + leaseMs - hold;
    for (const token of inHand) token.until = until;
    ledger.setReturns(new Map([...underWay, ...inHand.map(({ id }) => id)].map((id) => [id, leaseMs])));
  }, hold * renewal).unref();

  // Both ---------------------------------------------------------------------------------------------------------------

  function waitFor(ahead: number): number {
    const now = performance.now();
    if (alone !== undefined) {
      if (alone.free > ahead) return 0;
      const opens = Math.max(0, alone.since + hold - now);
      const times = [...returning.values()].filter((time) => time > now).sort((one, other) => one - other);
      const place = ahead - (alone.isOpen ? alone.free : ownPart());
      if (place < 0) return opens;
      const at = times[place];
      return Math.max(opens, at === undefined ? hold * (1 + Math.floor(place / ownPart())) : at - now);
    }
    const age = now - seenAt;
    if (inHand.length > ahead || age > freshMs) return 0;
    // Replicas are served in turn: of each other one, at most as many go before.
    const before = seen.waitingElsewhere.reduce((sum, count) => sum + Math.min(count, ahead + 1), 0);
    const place = seen.returns.length - allowed + before + ahead - inHand.length;
    if (place < 0) return Math.max(0, seen.blockedMs - age);
    const at = seen.returns[place];
    const last = hold * (1 + Math.floor((place - seen.returns.length) / allowed));
    return Math.max(1, seen.blockedMs - age, at === undefined ? last : at - age);
  }

  return {
    spend: async () => {
      if (alone !== undefined) {
        spendOwn();
        underWay.push(randomUUID());
        return;
      }
      let token = inHand.shift();
      // The token was dropped with the ledger: the queue has been told of one fewer already.
      const isDropped = token === undefined;
      // After a stall of this process the ledger may have given the token away.
      while (token === undefined || token.until < performance.now()) {
        if (alone !== undefined || isStopped) break;
        const state = await ask(1);
        // `ask` has told the queue of one more, which is for this request.
        if (state.granted > 0) {
          if (!isDropped) refill(-1);
          token = inHand.pop();
        } else await pause(Math.max(2, Math.min(state.retryMs, pollMs)));
      }
      if (token === undefined && isDropped) spendOwn();
      underWay.push(token?.id ?? randomUUID());
      if (waiting() === 0 && !isFeeding) giveBackHand();
    },
    returnLater: () => {
      const id = underWay.shift() ?? randomUUID();
      returning.set(id, performance.now() + hold);
      ledger.setReturns(new Map([[id, hold]]));
      later(hold, () => {
        returning.delete(id);
        topUp();
      });
    },
    returnNow: () => {
      const id = underWay.shift();
      if (id === undefined) return;
      if (alone !== undefined) return topUp();
      ledger.setReturns(new Map([[id, 0]]));
    },
    free: () => (alone === undefined ? inHand.length : alone.free),
    available: () => {
      if (alone !== undefined) return alone.free;
      const age = performance.now() - seenAt;
      const open = allowed - seen.returns.filter((time) => time > age).length;
      return inHand.length + Math.max(0, open);
    },
    waitFor,
    look: async () => {
      if (alone === undefined && performance.now() - seenAt > freshMs) await ask(0);
    },
    demand: () => void feed(),
    allowed: () => (alone === undefined ? allowed : ownPart()),
    setAllowed: (count) => {
      allowed = count;
      topUp();
    },
    stop: () => {
      isStopped = true;
      clearInterval(renewals);
      endListening();
      for (const timer of timers) clearTimeout(timer);
      giveBackHand();
      wake?.();
    },
  };
}
