/** Requests that checks of events may send. */
export interface Allowance {
  /** Milliseconds until the next request is allowed; 0 if one is now. */
  waitMs(): number;
  /** Counts a request. False if it is not allowed. */
  spend(): boolean;
}

/** Milliseconds. 1% longer than the minute of the API, which stamps a request after we send it. */
const windowMs = 60_600;
/** The part of the account's requests that checks may use. */
const part = 0.1;

/** At most a tenth of `limit` requests in any minute, and at least one. No bound without a limit. */
export function createAllowance(limit: () => number | undefined, now: () => number): Allowance {
  let sentAt: number[] = [];

  function most(): number {
    const perMinute = limit();
    return perMinute === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(perMinute * part));
  }

  function waitMs(): number {
    sentAt = sentAt.filter((at) => at > now() - windowMs);
    // After the limit has fallen, several of the oldest requests must leave the window.
    const leaving = sentAt[sentAt.length - most()];
    return leaving === undefined ? 0 : leaving + windowMs - now() + 1;
  }

  return {
    waitMs,
    spend: () => {
      if (waitMs() > 0) return false;
      sentAt.push(now());
      return true;
    },
  };
}
