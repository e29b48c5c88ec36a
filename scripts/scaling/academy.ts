import type { Random } from '../../src/sandbox/seed/random.ts';

/** The limiter's figures. Milliseconds. */
export const limiter = { tokens: 54, holdMs: 60_600, answerMs: 300, maxWaitMs: 45_000 };

/** How busy an academy is: its part of all academies, and calls of tools a minute. */
export const activities = [
  { name: 'quiet', part: 0.8, callsPerMinute: 0.5 },
  { name: 'busy', part: 0.18, callsPerMinute: 4 },
  { name: 'crowded', part: 0.02, callsPerMinute: 30 },
] as const;

/** API requests of a call, and the part of calls with that many: single reads, lists, task tools. */
export const callSizes = [
  { requests: 1, part: 0.6 },
  { requests: 3, part: 0.25 },
  { requests: 8, part: 0.1 },
  { requests: 20, part: 0.05 },
] as const;

export interface Load {
  readonly requests: number;
  readonly calls: number;
  readonly refused: number;
  /** Milliseconds that each request waited for a token. */
  readonly waits: readonly number[];
  /** The longest wait of each call. */
  readonly callWaits: readonly number[];
}

function pick<Item extends { readonly part: number }>(items: readonly Item[], random: Random): Item {
  let rest = random.next();
  const found = items.find(({ part }) => {
    rest -= part;
    return rest < 0;
  });
  const last = items.at(-1);
  if (last === undefined) throw new Error('nothing to pick from');
  return found ?? last;
}

export const pickActivity = (random: Random) => pick(activities, random);

interface Call {
  at: number;
  left: number;
  wait: number;
}

/** Times of calls that are independent of each other (Poisson). */
function arrivals(callsPerMinute: number, durationMs: number, random: Random): Call[] {
  const calls: Call[] = [];
  for (let at = 0; ; ) {
    at += (-Math.log(1 - random.next()) * 60_000) / callsPerMinute;
    if (at >= durationMs) return calls;
    calls.push({ at, left: pick(callSizes, random).requests, wait: 0 });
  }
}

/** The next call to send a request: the one that has been ready for the longest. */
function takeNext(ready: Call[]): Call | undefined {
  const first = ready.reduce((best, call, index) => (call.at < (ready[best]?.at ?? call.at) ? index : best), 0);
  return ready.splice(first, 1)[0];
}

/**
 * One academy whose replicas share its tokens: each request takes the token that returns first, which then returns one
 * window after the answer. A call sends one request after the other, and ends if a wait would be too long.
 */
export function simulateAcademy(callsPerMinute: number, durationMs: number, random: Random): Load {
  const calls = arrivals(callsPerMinute, durationMs, random);
  const ready = [...calls];
  const returns = new Array<number>(limiter.tokens).fill(0);
  const waits: number[] = [];
  const callWaits: number[] = [];
  let refused = 0;
  for (let call = takeNext(ready); call !== undefined; call = takeNext(ready)) {
    const back = returns.indexOf(Math.min(...returns));
    const start = Math.max(call.at, returns[back] ?? 0);
    const wait = start - call.at;
    if (wait > limiter.maxWaitMs) {
      refused += 1;
      continue;
    }
    waits.push(wait);
    returns[back] = start + limiter.answerMs + limiter.holdMs;
    call.wait = Math.max(call.wait, wait);
    call.left -= 1;
    call.at = start + limiter.answerMs;
    if (call.left > 0) ready.push(call);
    else callWaits.push(call.wait);
  }
  return { requests: waits.length, calls: calls.length, refused, waits, callWaits };
}
