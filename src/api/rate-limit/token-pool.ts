/**
 * Counts the limiter's tokens: how many are free, when the others return, and how many are held back for now.
 * Bottleneck's reservoir mirrors `free`. Reading that one takes a promise, so this keeps its own count.
 */
export interface TokenPool {
  /** Takes a token for a request. Resolves when it may be sent. */
  spend(): Promise<void>;
  /** The request was sent: its token returns after `hold`. */
  returnLater(): void;
  /** The request was not sent. */
  returnNow(): void;
  /** Tokens that the queue may use now. */
  free(): number;
  /** Requests that could be sent now: with other replicas, more than the queue has taken yet. */
  available(): number;
  /** Milliseconds until a caller with `ahead` others before it gets a token; 0 if one is free now. */
  waitFor(ahead: number): number;
  /** Brings what `waitFor` knows up to date. */
  look(): Promise<void>;
  /** The number of requests that wait for a token has changed. */
  demand(): void;
  allowed(): number;
  /** Changes how many tokens are in use, now or as they return. */
  setAllowed(count: number): void;
  stop(): void;
}

/**
 * `refill(n)` changes Bottleneck's reservoir by n, which may be negative. Times are milliseconds of a monotonic clock.
 */
export function createTokenPool(capacity: number, hold: number, refill: (count: number) => void): TokenPool {
  const timers = new Set<NodeJS.Timeout>();
  /** When the spent tokens return, oldest first. */
  const returning: number[] = [];
  let free = capacity;
  let allowed = capacity;
  /** Tokens to hold back when they next return. */
  let owed = 0;

  function giveBack(): void {
    if (owed > 0) {
      owed -= 1;
      return;
    }
    free += 1;
    refill(1);
  }

  function returnLater(): void {
    returning.push(performance.now() + hold);
    const timer = setTimeout(() => {
      timers.delete(timer);
      returning.shift();
      giveBack();
    }, hold);
    // A timer for a token must not keep a finished process alive.
    timer.unref();
    timers.add(timer);
  }

  function waitFor(ahead: number): number {
    if (free > ahead) return 0;
    const place = ahead - free + owed;
    const at = returning[place];
    // No return time is known for this place: the token of a request under way returns `hold` after its answer.
    return at === undefined ? hold * (1 + Math.floor(place / allowed)) : Math.max(1, at - performance.now());
  }

  function setAllowed(count: number): void {
    const change = count - allowed;
    allowed = count;
    if (change < 0) {
      const removedNow = Math.min(free, -change);
      free -= removedNow;
      owed += -change - removedNow;
      if (removedNow > 0) refill(-removedNow);
      return;
    }
    const forgiven = Math.min(owed, change);
    owed -= forgiven;
    free += change - forgiven;
    if (change > forgiven) refill(change - forgiven);
  }

  return {
    spend: async () => {
      free -= 1;
    },
    returnLater,
    returnNow: giveBack,
    free: () => free,
    available: () => free,
    look: async () => {},
    demand: () => {},
    waitFor,
    allowed: () => allowed,
    setAllowed,
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
