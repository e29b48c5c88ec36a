/**
 * Ways in which an API may count requests. `fixed`: windows that begin at multiples of their length; `fixed-first`: a window that
 * begins with the first request after the last one; `sliding`: the requests accepted in the last window's length;
 * `sliding+`: the same, with refused ones counted too; `bucket`: one that holds the limit and fills evenly.
 */
export const models = ['fixed', 'fixed-first', 'sliding', 'sliding+', 'bucket'] as const;
export type Model = (typeof models)[number];

export interface Allowance {
  readonly limit: number;
  /** Milliseconds. */
  readonly windowMs: number;
}

export interface Verdict {
  readonly accepted: boolean;
  /** Milliseconds until the next request can be accepted; 0 if this one was. */
  readonly retryAfterMs: number;
}

/** Decides about a request at `now`, in milliseconds since the epoch that never go back. */
export type Counter = (now: number) => Verdict;

const accepted: Verdict = { accepted: true, retryAfterMs: 0 };
const refused = (retryAfterMs: number): Verdict => ({ accepted: false, retryAfterMs });

/** `startOf` returns the start of a request's window, given the start of the previous window. */
function fixedBy(startOf: (now: number, before: number) => number, { limit, windowMs }: Allowance): Counter {
  let start = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (now) => {
    const begun = startOf(now, start);
    if (begun !== start) count = 0;
    start = begun;
    if (count >= limit) return refused(start + windowMs - now);
    count += 1;
    return accepted;
  };
}

function sliding({ limit, windowMs }: Allowance, countsRefused: boolean): Counter {
  let counted: number[] = [];
  return (now) => {
    counted = counted.filter((at) => at > now - windowMs);
    const isFull = counted.length >= limit;
    if (!isFull || countsRefused) counted.push(now);
    // A request fits once at most limit - 1 counted requests are still in the window.
    return isFull ? refused((counted[counted.length - limit] ?? now) + windowMs - now) : accepted;
  };
}

function bucket({ limit, windowMs }: Allowance): Counter {
  const perMs = limit / windowMs;
  let level = limit;
  let last = Number.NEGATIVE_INFINITY;
  return (now) => {
    level = Math.min(limit, level + (now - last) * perMs);
    last = now;
    if (level < 1) return refused((1 - level) / perMs);
    level -= 1;
    return accepted;
  };
}

export function createCounter(model: Model, allowance: Allowance): Counter {
  const { windowMs } = allowance;
  switch (model) {
    case 'fixed':
      return fixedBy((now) => Math.floor(now / windowMs) * windowMs, allowance);
    case 'fixed-first':
      return fixedBy((now, before) => (now - before < windowMs ? before : now), allowance);
    case 'bucket':
      return bucket(allowance);
    default:
      return sliding(allowance, model === 'sliding+');
  }
}
