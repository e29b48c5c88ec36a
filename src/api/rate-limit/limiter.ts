import { RateLimitedError } from '../../shared/errors.ts';

/**
 * Lower numbers go first. A retry has already waited once. A person's question goes before pages of a long job, and these
 * before work that nobody waits for, which is never promoted.
 */
export const priorities = { retry: 3, interactive: 5, bulk: 8, background: 9 } as const;
export type Priority = keyof typeof priorities;

export interface Attempt<T> {
  readonly value: T;
  /** False if the request was provably not sent: its token is then returned at once. */
  readonly sent: boolean;
}

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

/**
 * Decides when a request may be sent. Every attempt of every request passes it, including retries. `take` throws
 * `RateLimitedError` if the wait would be too long, and rejects at once when the signal aborts.
 */
export interface Limiter {
  take<T>(attempt: () => Promise<Attempt<T>>, turn: TurnOptions): Promise<T>;
  /** Reports a 429: all requests pause. `retryAfter` in milliseconds, if the API gave one. */
  refused(retryAfter: number | undefined): void;
  accepted(): void;
  budget(): Budget;
  /** Whether the queue is full, so that another request is refused at once. */
  isFull(): boolean;
  /** Sets another limit of the account, in requests per minute. */
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
  /** Replicas that there may be. */
  readonly replicas: number;
}
