import { randomUUID } from 'node:crypto';
import type { SharedStore } from '../../shared/shared-store.ts';

/** What a log answers, at the moment of the answer. Times are milliseconds from then. */
export interface LogState {
  readonly isTaken: boolean;
  /** Until no token can be taken, after data was lost; 0 usually. */
  readonly blockedMs: number;
  /** When the tokens in use return, the earliest first. */
  readonly returns: readonly number[];
}

/** The tokens of one account that are in use, for all replicas. */
export interface TokenLog {
  /** Takes a token for `milliseconds`, if fewer than `capacity` are in use. */
  take(id: string, capacity: number, milliseconds: number): Promise<LogState>;
  /** A token returns after `milliseconds` from now; 0: at once. */
  keep(id: string, milliseconds: number): void;
  isUp(): boolean;
  /** Calls `listener` after each loss and each return of the log. Returns the function that ends this. */
  onChange(listener: (isUp: boolean) => void): () => void;
  readonly replicas: number;
}

/** What all replicas of a deployment share. */
export interface SharedState {
  /** The tokens of an account, by its address: every key of it counts against the same limit. */
  tokensOf(address: URL): TokenLog;
  /** A store of its own for each name, readable only with the secret. */
  storeOf(name: string, secret: string): SharedStore;
  /** Whether this replica shares Redis at the moment, for /readyz and metrics. */
  isUp(): boolean;
  close(): Promise<void>;
}

interface TokenPoolOptions {
  capacity: () => number;
  /** How long a token is in use after the answer of its request, in milliseconds. */
  holdMs: number;
  timeoutMs: number;
  now: () => number;
  /** The tokens of all replicas; undefined for one process. */
  shared: TokenLog | undefined;
  /** Tokens may be free earlier than `waitFor` has said. */
  onChange(): void;
}

/** Ends the use of a token that was taken for one request. `isSent`: it returns one window later, otherwise at once. */
export type EndToken = (isSent: boolean) => void;

/** An older look at the tokens of other replicas says too little. Milliseconds. */
const freshMs = 1_000;

/**
 * The limiter's tokens: a sliding log of the requests of one window. Replicas keep this log together. It forgets a token
 * without an answer one window after its request must have ended. While the common log is lost, each replica uses a
 * fixed part of the limit, after one window without tokens: what the others have sent may count until then.
 */
export function createTokenPool({ capacity, holdMs, timeoutMs, now, shared, onChange }: TokenPoolOptions) {
  const leaseMs = holdMs + timeoutMs;
  /** When each token of this process returns. Infinity while its request is under way. */
  const own = new Map<string, number>();
  let blockedUntil = shared?.isUp() === false ? now() + holdMs : 0;
  let seen: (LogState & { readonly at: number }) | undefined;

  const size = () =>
    shared === undefined || shared.isUp() ? capacity() : Math.max(1, Math.floor(capacity() / shared.replicas));

  /** Until when no token is free at all, and when those in use return: milliseconds from now, the earliest first. */
  function look(): { blockedMs: number; returns: number[] } {
    for (const [id, at] of own) if (at <= now()) own.delete(id);
    const { at, blockedMs, returns } = shared?.isUp()
      ? (seen ?? { at: 0, blockedMs: 0, returns: [] })
      : { at: 0, blockedMs: blockedUntil, returns: [...own.values()].sort((one, other) => one - other) };
    const passed = now() - at;
    const left = returns.map((milliseconds) => milliseconds - passed).filter((milliseconds) => milliseconds > 0);
    return { blockedMs: Math.max(0, blockedMs - passed), returns: left };
  }

  /** Whether the token is ours now. With a count of 0, only looks. */
  async function takeShared(log: TokenLog, id: string, count: number): Promise<boolean> {
    const state = await log.take(id, count, leaseMs).catch(() => undefined);
    seen = state && { ...state, at: now() };
    return state?.isTaken ?? false;
  }

  function available(): number {
    const { blockedMs, returns } = look();
    return blockedMs > 0 ? 0 : Math.max(0, size() - returns.length);
  }

  const endListening = shared?.onChange((isUp) => {
    blockedUntil = now() + holdMs;
    seen = undefined;
    if (isUp) for (const [id, at] of own) shared.keep(id, Math.min(leaseMs, at - now()));
    onChange();
  });

  return {
    take: async (): Promise<EndToken | undefined> => {
      const id = randomUUID();
      if (!(shared?.isUp() ? await takeShared(shared, id, capacity()) : available() > 0)) return undefined;
      own.set(id, Number.POSITIVE_INFINITY);
      return (isSent) => {
        if (isSent) own.set(id, now() + holdMs);
        else own.delete(id);
        shared?.keep(id, isSent ? holdMs : 0);
        if (!isSent) onChange();
      };
    },
    available,
    /** Milliseconds until a caller with `ahead` others before it gets a token; 0 if one is free now. */
    waitFor: (ahead: number): number => {
      const { blockedMs, returns } = look();
      const rank = returns.length - size() + ahead;
      if (rank < 0) return blockedMs;
      // The token of a request under way returns `holdMs` after its answer.
      const rounds = Math.max(0, Math.floor((rank - returns.length) / size()));
      return Math.max(1, blockedMs, Math.min(returns[rank] ?? holdMs, holdMs) + holdMs * rounds);
    },
    /** Brings what is known of other replicas up to date. */
    refresh: async (): Promise<void> => {
      if (shared?.isUp() && now() - (seen?.at ?? 0) > freshMs) await takeShared(shared, '', 0);
    },
    size,
    stop: () => endListening?.(),
  };
}
