/** What a log answers, at the moment of the answer. Times are milliseconds from then. */
export interface LogState {
  readonly isTaken: boolean;
  /** Until no token can be taken, after data was lost; 0 usually. */
  readonly blockedMs: number;
  /** When the tokens in use return, the earliest first. */
  readonly returns: readonly number[];
  /** The pause that a replica reported after a 429, and a name of that report. */
  readonly pause?: { readonly id: string; readonly ms: number } | undefined;
  /** The account's limit, if a replica has read it from the API. */
  readonly limit?: number | undefined;
}

/** The tokens of one account that are in use, for all replicas. */
export interface TokenLog {
  /** Takes a token, for the first time or again, if fewer than `capacity` are in use. Without an id, only looks. */
  take(id: string | undefined, capacity: number, leaseMs: number): Promise<LogState>;
  /** Sets when tokens return, in milliseconds from now. 0: at once. */
  setReturns(tokens: readonly (readonly [id: string, milliseconds: number])[]): void;
  /** Makes all replicas pause after a 429. */
  reportPause(milliseconds: number): void;
  setLimit(limit: number): void;
  isUp(): boolean;
  /** Calls `listener` after each loss and each return of the log. Returns the function that ends this. */
  onChange(listener: (isUp: boolean) => void): () => void;
  /** Replicas that there may be. */
  readonly replicas: number;
}
