import { randomUUID } from 'node:crypto';
import { availableByLedger, waitByLedger } from './ledger-forecast.ts';
import { type OwnPart, openOwnPart } from './own-part.ts';
import { createTimers } from './timers.ts';
import type { LedgerState, TokenLedger } from './token-ledger.ts';
import type { TokenPool } from './token-pool.ts';
import { createTokensInUse } from './tokens-in-use.ts';

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
 * of the capacity.
 */
export function createSharedTokenPool(options: SharedTokenPoolOptions): TokenPool {
  const { hold, refill, ledger, waiting, onPause, onLimit } = options;
  const leaseMs = hold * (1 + spare);
  const tokens = createTokensInUse();
  const timers = createTimers();
  /** Tokens in hand, with the time until which their lease is certain. */
  const inHand: { id: string; until: number }[] = [];
  let allowed = options.capacity;
  let seen = nothing;
  let seenAt = Number.NEGATIVE_INFINITY;
  let pauseId: number | undefined;
  let isFeeding = false;
  let isStopped = false;
  /** Only while the ledger is lost. */
  let ownPart: OwnPart | undefined;
  const ownSize = () => Math.max(1, Math.floor(allowed / ledger.replicas));
  const view = () => ({ state: seen, age: performance.now() - seenAt, allowed, inHand: inHand.length, hold });

  function onLost(): void {
    if (inHand.length > 0) refill(-inHand.length);
    // When the ledger is back, it must not keep them.
    for (const { id } of inHand.splice(0)) tokens.setReturn(id, performance.now());
    ownPart = openOwnPart({ hold, size: ownSize, refill, tokens, timers });
    timers.wake();
  }

  function onBack(): void {
    ownPart?.close();
    ownPart = undefined;
    seenAt = Number.NEGATIVE_INFINITY;
    ledger.setReturns(new Map([...tokens.returns(), ...tokens.underWay().map((id) => [id, leaseMs] as const)]));
    void feed();
  }

  const endListening = ledger.onChange((isUp) => (isUp ? onBack() : onLost()));
  if (!ledger.isUp()) onLost();

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
      if (ownPart !== undefined || isStopped) {
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
      for (const id of ids) tokens.setReturn(id, askedAt);
      return { ...nothing, retryMs: retryFailedMs };
    }
  }

  const pauseAfter = ({ retryMs }: LedgerState) => timers.pause(Math.max(2, Math.min(retryMs, pollMs)));

  /** Takes tokens for the requests that wait, until none waits. */
  async function feed(): Promise<void> {
    if (isFeeding) return;
    isFeeding = true;
    try {
      while (ownPart === undefined && !isStopped) {
        const wanted = Math.min(waiting() - inHand.length, maxTaken);
        if (wanted <= 0) break;
        const state = await ask(wanted);
        if (state.granted === 0) await pauseAfter(state);
      }
      if (ownPart === undefined && !isStopped && waiting() === 0) giveBackHand();
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
    if (ownPart !== undefined) return;
    tokens.forgetReturned();
    const until = performance.now() + leaseMs - hold;
    for (const token of inHand) token.until = until;
    ledger.setReturns(new Map([...tokens.underWay(), ...inHand.map(({ id }) => id)].map((id) => [id, leaseMs])));
  }, hold * renewal).unref();

  /** The token of a request that the queue has started: from the hand, or a new one if its lease is over. */
  async function takeToken(): Promise<string | undefined> {
    let token = inHand.shift();
    // The token was dropped with the ledger: the queue has been told of one fewer already.
    const isDropped = token === undefined;
    // After a stall of this process the ledger may have given the token away.
    while (token === undefined || token.until < performance.now()) {
      if (ownPart !== undefined || isStopped) break;
      const state = await ask(1);
      // `ask` has told the queue of one more, which is for this request.
      if (state.granted > 0) {
        if (!isDropped) refill(-1);
        token = inHand.pop();
      } else await pauseAfter(state);
    }
    if (token === undefined && isDropped) ownPart?.spend();
    return token?.id;
  }

  async function spend(): Promise<void> {
    if (ownPart !== undefined) {
      ownPart.spend();
      tokens.start();
      return;
    }
    tokens.start(await takeToken());
    if (waiting() === 0 && !isFeeding) giveBackHand();
  }

  function returnLater(): void {
    const id = tokens.end() ?? randomUUID();
    tokens.setReturn(id, performance.now() + hold);
    ledger.setReturns(new Map([[id, hold]]));
    timers.later(hold, () => {
      tokens.forget(id);
      ownPart?.topUp();
    });
  }

  return {
    spend,
    returnLater,
    returnNow: () => {
      const id = tokens.end();
      if (id === undefined) return;
      if (ownPart !== undefined) return ownPart.topUp();
      ledger.setReturns(new Map([[id, 0]]));
    },
    free: () => ownPart?.free() ?? inHand.length,
    available: () => ownPart?.free() ?? availableByLedger(view()),
    waitFor: (ahead) => {
      if (ownPart !== undefined) return ownPart.waitFor(ahead);
      return inHand.length > ahead || performance.now() - seenAt > freshMs ? 0 : waitByLedger(view(), ahead);
    },
    look: async () => {
      if (ownPart === undefined && performance.now() - seenAt > freshMs) await ask(0);
    },
    demand: () => void feed(),
    allowed: () => (ownPart === undefined ? allowed : ownSize()),
    setAllowed: (count) => {
      allowed = count;
      ownPart?.topUp();
    },
    stop: () => {
      isStopped = true;
      clearInterval(renewals);
      endListening();
      timers.stop();
      giveBackHand();
    },
  };
}
