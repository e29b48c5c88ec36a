/**
 * The count behind the limiter: how many tokens are free, when the others come back, and how many are held
 * back for now. Bottleneck's reservoir mirrors `free`; it cannot be read without a promise, so we count ourselves.
 */
export interface TokenPool {
  spend(): void;
  /** The request was sent: its token comes back one hold later. */
  returnLater(): void;
  /** The request was never sent. */
  returnNow(): void;
  free(): number;
  /** Milliseconds until the caller behind `ahead` others finds a token; 0 when there is one now. */
  waitFor(ahead: number): number;
  allowed(): number;
  /** Changes how many are in play: from now on, or as they come back. */
  setAllowed(count: number): void;
  stop(): void;
}

/** `refill(n)` changes Bottleneck's reservoir by n, which may be negative. Times are milliseconds of a monotonic clock. */
export function createTokenPool(capacity: number, hold: number, refill: (count: number) => void): TokenPool {
  const timers = new Set<NodeJS.Timeout>();
  /** When the spent tokens come back, oldest first. */
  const returning: number[] = [];
  let free = capacity;
  let allowed = capacity;
  /** Tokens that are to be kept out of play when they next come back. */
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
    // Tokens that are out must not keep a finished process alive.
    timer.unref();
    timers.add(timer);
  }

  function waitFor(ahead: number): number {
    if (free > ahead) return 0;
    const place = ahead - free + owed;
    const at = returning[place];
    // Behind every token whose return is known: those in flight come back one hold after their answers.
    return at === undefined ? hold * (1 + Math.floor(place / allowed)) : Math.max(1, at - performance.now());
  }

  function setAllowed(count: number): void {
    const change = count - allowed;
    allowed = count;
    if (change < 0) {
      const atOnce = Math.min(free, -change);
      free -= atOnce;
      owed += -change - atOnce;
      if (atOnce > 0) refill(-atOnce);
      return;
    }
    const forgiven = Math.min(owed, change);
    owed -= forgiven;
    free += change - forgiven;
    if (change > forgiven) refill(change - forgiven);
  }

  return {
    spend: () => {
      free -= 1;
    },
    returnLater,
    returnNow: giveBack,
    free: () => free,
    waitFor,
    allowed: () => allowed,
    setAllowed,
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
