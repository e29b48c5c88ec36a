import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../../src/api/api.ts';
import { getCourse } from '../../../src/contract/courses.ts';
import type { Random } from '../../../src/sandbox/seed/random.ts';
import { AcademyError, RateLimitedError } from '../../../src/shared/errors.ts';

/** Calls by what became of them. */
export interface Tally {
  done: number;
  /** Answered at once, or when the longest wait had passed, with the seconds to wait. */
  toldToWait: number;
  /** Answered with the API's own 429, after all tries. */
  refused: number;
  readonly failed: string[];
}

export interface Callers {
  readonly tally: Tally;
  /** One call, unlike all before; false where it brought nothing. */
  call(): Promise<boolean>;
}

/** A 429 that came through has the API's answer as its cause; a wait that was refused by us has none. */
const isOfApi = (error: RateLimitedError) => error.cause !== undefined;

/** Calls that end with `signal` are counted nowhere. */
export function createCallers(api: ApiClient, signal: AbortSignal): Callers {
  const tally: Tally = { done: 0, toldToWait: 0, refused: 0, failed: [] };
  let last = 0;

  function note(error: unknown): void {
    if (signal.aborted) return;
    if (error instanceof RateLimitedError) tally[isOfApi(error) ? 'refused' : 'toldToWait'] += 1;
    else tally.failed.push(error instanceof AcademyError ? `${error.code}: ${error.message}` : String(error));
  }

  async function call(): Promise<boolean> {
    last += 1;
    try {
      await api.call(getCourse, { course_id: last }, { signal });
      tally.done += 1;
      return true;
    } catch (error) {
      note(error);
      return false;
    }
  }

  return { tally, call };
}

/** Callers who always have work waiting; whoever is told to wait comes again after `pauseMs`. */
export async function saturate(callers: Callers, count: number, pauseMs: number, signal: AbortSignal): Promise<void> {
  const caller = async () => {
    while (!signal.aborted) if (!(await callers.call())) await sleep(pauseMs, undefined, { signal }).catch(() => {});
  };
  await Promise.all(Array.from({ length: count }, caller));
}

/** No more than this many at once, or the queue refuses the rest. */
const maxAtOnce = 90;

export interface Bursts {
  readonly windowMs: number;
  /** Calls of the smallest and of the largest burst. */
  readonly calls: readonly [number, number];
  readonly random: Random;
}

/** Nothing for up to two windows, then many calls at once, again and again. */
export async function burst(callers: Callers, { windowMs, calls, random }: Bursts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let left = random.integer(...calls);
    const caller = async () => {
      while (left > 0 && !signal.aborted) {
        left -= 1;
        await callers.call();
      }
    };
    await Promise.all(Array.from({ length: Math.min(left, maxAtOnce) }, caller));
    await sleep(random.next() * 2 * windowMs, undefined, { signal }).catch(() => {});
  }
}
