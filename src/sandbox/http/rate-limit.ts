/**
 * The rate limit of one account: at most `limit` requests in any `windowMs`, whichever of its keys they carry.
 * API document: "Limits". A refused request does not count, so that waiting as told is always enough.
 */
export class RateLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #accepted: number[] = [];

  constructor(limit: number | 'off', windowMs: number) {
    this.#limit = limit === 'off' ? Number.POSITIVE_INFINITY : limit;
    this.#windowMs = windowMs;
  }

  /**
   * Counts a request at `now` (ms of a clock that never goes back). Returns 0 when it may pass, else the
   * whole seconds until the next one may.
   */
  take(now: number): number {
    if (this.#limit === Number.POSITIVE_INFINITY) return 0;
    this.#forget(now - this.#windowMs);
    const [oldest] = this.#accepted;
    if (oldest !== undefined && this.#accepted.length >= this.#limit) {
      return Math.max(1, Math.ceil((oldest + this.#windowMs - now) / 1000));
    }
    this.#accepted.push(now);
    return 0;
  }

  #forget(before: number): void {
    const kept = this.#accepted.findIndex((time) => time > before);
    this.#accepted.splice(0, kept === -1 ? this.#accepted.length : kept);
  }
}
