import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../src/sandbox/seed/random.ts';
import { listen } from '../../support/listen.ts';

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

interface Verdict {
  readonly accepted: boolean;
  /** Milliseconds until the next request can be accepted; 0 if this one was. */
  readonly retryAfterMs: number;
}

/** Decides about a request at `now`, in milliseconds since the epoch that never go back. */
type Counter = (now: number) => Verdict;

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

function createCounter(model: Model, allowance: Allowance): Counter {
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

interface ModelServerOptions extends Allowance {
  readonly model: Model;
  /** Whether a 429 has Retry-After, in seconds with decimals: windows are shorter than the real one. */
  readonly retryAfter: boolean;
  /** Minimum and maximum time from a request to its answer, in milliseconds. The API counts the request within that time. */
  readonly latencyMs: readonly [number, number];
  readonly random: Random;
}

interface Stamped {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  readonly caller: 'us' | 'other';
  readonly path: string;
  readonly accepted: boolean;
}

export type ModelServer = Awaited<ReturnType<typeof startModelServer>>;

/** A real API takes 100 to 500 ms of its window of 60 s. */
export const scaledLatency = (windowMs: number): [number, number] => [windowMs / 600, windowMs / 120];

function send(response: ServerResponse, path: string, { accepted, retryAfterMs }: Verdict, tells: boolean): void {
  const after = tells && !accepted ? { 'retry-after': (retryAfterMs / 1000).toFixed(3) } : {};
  response.writeHead(accepted ? 200 : 429, { 'content-type': 'application/json', ...after });
  const id = Number(path.split('/').at(-1));
  response.end(JSON.stringify(accepted ? { id, title: `Course ${id}` } : { error: 'Too many requests' }));
}

export async function startModelServer(options: ModelServerOptions) {
  const { model, latencyMs, retryAfter, random } = options;
  const [shortest, longest] = latencyMs;
  const count = createCounter(model, options);
  const log: Stamped[] = [];
  const arrived = new Set<string>();

  function stamp(caller: Stamped['caller'], path: string): Verdict {
    const at = performance.now();
    const verdict = count(performance.timeOrigin + at);
    log.push({ at, caller, path, accepted: verdict.accepted });
    return verdict;
  }

  const { url } = await listen(async (request, response) => {
    const path = request.url ?? '';
    arrived.add(path);
    const latency = shortest + random.next() * (longest - shortest);
    const way = random.next() * latency;
    await sleep(way);
    const verdict = stamp('us', path);
    await sleep(latency - way);
    send(response, path, verdict, retryAfter);
  });
  return { url, log, arrived, arriveFromOther: () => stamp('other', '').accepted };
}

/**
 * The part of `limit` requests a window that was used in the long run. Under constant load request n + limit comes one
 * cycle after request n, so whole cycles are measured, from each request of the first one: no burst at a border counts
 * too much. NaN for less than two lots of requests. `times` in milliseconds, ascending.
 */
export function longRunUse(times: readonly number[], { limit, windowMs }: Allowance): number {
  const cycles = Math.floor(times.length / limit) - 1;
  if (cycles < 1) return Number.NaN;
  const used = times.slice(0, limit).map((time, index) => {
    const later = times[index + cycles * limit] ?? Number.NaN;
    return (cycles * windowMs) / (later - time);
  });
  return used.reduce((sum, part) => sum + part, 0) / used.length;
}

export function maxInWindow(times: readonly number[], windowMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, time] of times.entries()) {
    while (time - (times[first] ?? time) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

export const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
