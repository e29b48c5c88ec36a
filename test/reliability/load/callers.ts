import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../../src/api/api.ts';
import { getCourse } from '../../../src/contract/courses.ts';
import type { Random } from '../../../src/sandbox/seed/random.ts';
import { AcademyError, RateLimitedError } from '../../../src/shared/errors.ts';

/** Numbers of calls by result. */
export interface Tally {
  done: number;
  /** Answered at once, or after the maximum wait, with the seconds to wait. */
  toldToWait: number;
  /** Answered with the API's own 429, after all retries. */
  refused: number;
  readonly failed: string[];
}

export interface Callers {
  readonly tally: Tally;
  /** Makes one call that differs from all before; false if it did not succeed. */
  call(): Promise<boolean>;
}

/** A 429 of the API has its answer as the cause; a refusal by our own limiter has no cause. */
const isOfApi = (error: RateLimitedError) => error.cause !== undefined;

/** Calls that `signal` ends are not counted. */
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

/** Callers that always have work waiting; a caller that is refused tries again after `pauseMs`. */
export async function saturate(callers: Callers, count: number, pauseMs: number, signal: AbortSignal): Promise<void> {
  const caller = async () => {
    while (!signal.aborted) if (!(await callers.call())) await sleep(pauseMs, undefined, { signal }).catch(() => {});
  };
  await Promise.all(Array.from({ length: count }, caller));
}

/** Maximum number of concurrent calls: the queue would refuse more. */
const maxAtOnce = 90;

export interface Bursts {
  readonly windowMs: number;
  /** Number of calls in the smallest and in the largest burst. */
  readonly calls: readonly [number, number];
  readonly random: Random;
}

/** Repeatedly idles for up to two windows, then makes many concurrent calls. */
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
