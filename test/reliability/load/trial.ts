import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../../src/api/client.ts';
import { getCourse } from '../../../src/contract/courses.ts';
import { createRandom, type Random } from '../../../src/sandbox/seed/random.ts';
import { AcademyError, RateLimitedError } from '../../../src/shared/errors.ts';
import { atEnd, inScope } from '../../support/at-end.ts';
import { startHarness } from '../programs.ts';
import { type Allowance, type Model, type ModelServer, scaledLatency, startModelServer } from './model-server.ts';
import { createScaledClient, defaultMaxWaitWindows } from './scaled.ts';

interface Tally {
  done: number;
  /** Answered at once, or after the maximum wait, with the seconds to wait. */
  toldToWait: number;
  /** Answered with the API's own 429, after all retries. */
  refused: number;
  readonly failed: string[];
}

type Callers = ReturnType<typeof createCallers>;

/** A 429 of the API has its answer as the cause; a refusal by our own limiter has no cause. */
const isOfApi = (error: RateLimitedError) => error.cause !== undefined;

function createCallers(api: ApiClient, signal: AbortSignal) {
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
async function saturate(callers: Callers, count: number, pauseMs: number, signal: AbortSignal): Promise<void> {
  const caller = async () => {
    while (!signal.aborted) if (!(await callers.call())) await sleep(pauseMs, undefined, { signal }).catch(() => {});
  };
  await Promise.all(Array.from({ length: count }, caller));
}

/** Maximum number of concurrent calls: the queue would refuse more. */
const maxAtOnce = 90;

interface Bursts {
  readonly windowMs: number;
  readonly calls: readonly [number, number];
  readonly random: Random;
}

async function burst(callers: Callers, { windowMs, calls, random }: Bursts, signal: AbortSignal): Promise<void> {
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

export interface Trial extends Allowance {
  readonly model: Model;
  readonly load: 'saturate' | 'bursty';
  readonly share: number;
  /** Duration. */
  readonly windows: number;
  readonly seed: number;
  readonly retryAfter?: boolean;
  readonly callers?: number;
  readonly maxWaitWindows?: number;
  /** The other users of the account, until the signal. */
  readonly others?: (server: ModelServer, signal: AbortSignal) => Promise<void>;
}

export type Tried = Awaited<ReturnType<typeof tryOut>>;

export const trialName = ({ model, load, limit, share, windowMs, seed, retryAfter = true }: Trial): string =>
  `seed ${seed}, ${model}, ${load}, limit ${limit} in ${windowMs / 1000} s, share ${share}${retryAfter ? '' : ', no Retry-After'}`;

export const tryOut = (trial: Trial) => inScope(() => tryIn(trial));

async function tryIn(trial: Trial) {
  const { windowMs, windows, limit, load, callers: count = 12, retryAfter = true } = trial;
  const random = createRandom(trialName(trial));
  const server = await startModelServer({ ...trial, retryAfter, latencyMs: scaledLatency(windowMs), random });
  const { maxWaitWindows = defaultMaxWaitWindows } = trial;
  const client = createScaledClient({ ...trial, maxWaitWindows, url: server.url, random });
  atEnd(() => client.close());
  const end = new AbortController();
  // Every caller listens to it. From 11 listeners on, Node would warn of a leak.
  setMaxListeners(0, end.signal);
  const callers = createCallers(client, end.signal);
  const size = limit / 60;
  const bursts = { windowMs, calls: [20 * size, 89 * size], random } as const;
  const working = [
    trial.others?.(server, end.signal),
    load === 'saturate' ? saturate(callers, count, windowMs / 60, end.signal) : burst(callers, bursts, end.signal),
  ];
  await sleep(windows * windowMs);
  end.abort();
  await Promise.all(working);
  return { trial, log: server.log, tally: callers.tally };
}

export const realAllowance = { limit: 60, windowMs: 60_000 } as const;

/** The built program over stdio, and the sandbox with its own limit of 60 a minute. */
export async function startRealAccount(settings: Record<string, string>) {
  const sandbox = { rateLimit: realAllowance.limit, windowMs: realAllowance.windowMs };
  const { program, faults } = await startHarness({ sandbox, settings });
  const call = (number: number) => program.call('list_orders', { per_page: 1, page: number });
  return { call, log: faults.log };
}
