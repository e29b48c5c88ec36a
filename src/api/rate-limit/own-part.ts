import type { Timers } from './timers.ts';
import type { TokensInUse } from './tokens-in-use.ts';

export interface OwnPartOptions {
  /** How long a token is in use after the answer of its request, in milliseconds. */
  readonly hold: number;
  /** How many tokens this replica may use. */
  readonly size: () => number;
  /** Changes the reservoir of the queue. */
  readonly refill: (count: number) => void;
  readonly tokens: TokensInUse;
  readonly timers: Timers;
}

/** The tokens that a replica may use while the ledger is lost. */
export interface OwnPart {
  spend(): void;
  /** Frees the tokens that are not in use. */
  topUp(): void;
  free(): number;
  /** Milliseconds until a caller with `ahead` others before it gets a token. */
  waitFor(ahead: number): number;
  /** The ledger is back. */
  close(): void;
}

/** Has no tokens for one window: until then, what the other replicas have sent may still count. */
export function openOwnPart({ hold, size, refill, tokens, timers }: OwnPartOptions): OwnPart {
  const opensAt = performance.now() + hold;
  let free = 0;
  let isOpen = false;
  let isClosed = false;

  function topUp(): void {
    if (!isOpen || isClosed) return;
    const used = tokens.underWay().length + tokens.pending().length;
    const change = Math.max(0, size() - used) - free;
    free += change;
    if (change !== 0) refill(change);
  }

  timers.later(hold, () => {
    isOpen = true;
    topUp();
  });

  function waitFor(ahead: number): number {
    if (free > ahead) return 0;
    const opens = Math.max(0, opensAt - performance.now());
    const place = ahead - (isOpen ? free : size());
    if (place < 0) return opens;
    return Math.max(opens, tokens.pending()[place] ?? hold * (1 + Math.floor(place / size())));
  }

  return {
    spend: () => {
      free -= 1;
    },
    topUp,
    free: () => free,
    waitFor,
    close: () => {
      isClosed = true;
      // Below 0 if the queue had started requests whose tokens were dropped with the ledger.
      if (free !== 0) refill(-free);
    },
  };
}
