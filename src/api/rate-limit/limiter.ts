import { RateLimitedError } from '../../shared/errors.ts';

/** Lower goes first. A retry has waited once already; a person's question goes before pages of a long job. */
export const priorities = { retry: 3, interactive: 5, bulk: 8 } as const;
export type Priority = keyof typeof priorities;

export interface Attempt<T> {
  readonly value: T;
  /** False where the request provably never left: its token is given back at once. */
  readonly sent: boolean;
}

export interface Turn {
  readonly priority: Priority;
  readonly signal?: AbortSignal | undefined;
  /** Hears how long, in milliseconds, the turn is expected to take to come; not called when it is at once. */
  readonly onWait?: ((milliseconds: number) => void) | undefined;
}

export interface Budget {
  /** Requests a minute that we allow ourselves now; undefined when there is no limit. */
  readonly limit: number | undefined;
  /** The same while no 429 has cut it. */
  readonly full: number | undefined;
  /** Requests that could leave at this moment. */
  readonly remaining: number | undefined;
  readonly queued: number;
}

/**
 * Who may send when. Every attempt of every request goes through one, retries too.
 * `take` throws `RateLimitedError` when the turn would not come in time, and rejects at once when the signal aborts.
 */
export interface Limiter {
  take<T>(attempt: () => Promise<Attempt<T>>, turn: Turn): Promise<T>;
  /** Tells of a 429: everybody pauses. `retryAfter` in milliseconds, where the API said one. */
  refused(retryAfter: number | undefined): void;
  /** Tells of an answer that was not a 429. */
  accepted(): void;
  budget(): Budget;
  /** Whether one more would be turned away at once. */
  isFull(): boolean;
  /** The account turned out to have another limit, in requests a minute. */
  setLimit(limit: number): void;
  stop(): Promise<void>;
}

export function waitTooLongError(milliseconds: number): RateLimitedError {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new RateLimitedError(
    `the account's request limit is used up: the next free turn is in about ${seconds} s. Nothing was sent`,
    seconds,
  );
}
