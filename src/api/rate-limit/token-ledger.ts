/** What the ledger knows of the account's tokens, at the moment of an answer. Times are milliseconds from then. */
export interface LedgerState {
  /** How many of the requested tokens are ours now. */
  readonly granted: number;
  /** When to ask again, if fewer were granted than requested. */
  readonly retryMs: number;
  /** Until no token is granted, after the ledger was lost; 0 usually. */
  readonly blockedMs: number;
  /** When the tokens in use return, the earliest first. */
  readonly returns: readonly number[];
  /** How many requests wait in each of the other replicas. */
  readonly waitingElsewhere: readonly number[];
  /** The pause that another replica reported after a 429, and a number that changes with each report. */
  readonly pausedMs: number;
  readonly pauseId: number;
  /** The account's limit that a replica has read from the API; undefined if none has. */
  readonly limit: number | undefined;
}

export interface TokenRequest {
  /** A name for each token that is wanted now; may be empty. */
  readonly ids: readonly string[];
  /** How many tokens all replicas together may use. */
  readonly capacity: number;
  /** Requests that wait in this replica. */
  readonly waiting: number;
  /** How long a granted token is ours without a further word, in milliseconds. */
  readonly leaseMs: number;
}

/** The tokens of one account, shared by all replicas. */
export interface TokenLedger {
  /** Rejects while the ledger is lost. */
  acquire(request: TokenRequest): Promise<LedgerState>;
  /** Sets when tokens return, by name, in milliseconds from now. 0: at once. */
  setReturns(tokens: ReadonlyMap<string, number>): void;
  /** Makes all replicas pause after a 429. Resolves to the number of the report, 0 while the ledger is lost. */
  reportPause(milliseconds: number): Promise<number>;
  setLimit(limit: number): void;
  isUp(): boolean;
  /** Calls `listener` after each loss and each return of the ledger. Returns the function that ends this. */
  onChange(listener: (isUp: boolean) => void): () => void;
  /** Replicas that there may be. */
  readonly replicas: number;
}
