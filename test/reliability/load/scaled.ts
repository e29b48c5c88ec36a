import { pino } from 'pino';
import { type ApiClient, createApiClient } from '../../../src/api/client.ts';
import { createHttp } from '../../../src/api/http/http.ts';
import { createSlidingLimiter } from '../../../src/api/rate-limit/limiter.ts';
import type { Random } from '../../../src/sandbox/seed/random.ts';
import { getCourse } from '../../../tools/courses/get-course.ts';
import { connect, readAnswer, unlimited } from '../../support/connect.ts';
import { type Allowance, startModelServer } from './model-server.ts';

interface ScaledOptions extends Allowance {
  readonly url: string;
  readonly share: number;
  /** Like the setting, but in windows instead of minutes. */
  readonly maxWaitWindows: number;
  readonly random: Random;
}

const realWindowMs = 60_000;
const timeoutMs = 30_000;

/** The default maximum wait: 45 s of a window of 60 s. */
export const defaultMaxWaitWindows = 0.75;

/**
 * The real limiter, retries and HTTP client, combined as in the program, for an API whose window is shorter than
 * a minute. All pauses scale by the same factor. The caller closes it.
 */
export function createScaledClient({ url, limit, windowMs, share, maxWaitWindows, random }: ScaledOptions): ApiClient {
  const pace = windowMs / realWindowMs;
  const maxWaitMs = maxWaitWindows * windowMs;
  const limiter = createSlidingLimiter({
    limit,
    share,
    windowMs,
    maxWaitMs,
    pauses: { first: 5_000 * pace, longest: 60_000 * pace },
    random: random.next,
  });
  return createApiClient({
    baseUrl: new URL(url),
    http: createHttp({ authorization: 'Bearer key', userAgent: 'reliability', timeoutMs }),
    limiter,
    log: pino({ level: 'silent' }),
    deadlineMs: maxWaitMs + timeoutMs * pace,
    quarantineMs: 0,
    maxWaitMs,
    preflight: false,
    pace,
    random: random.next,
  });
}

export type ScaledProgram = Awaited<ReturnType<typeof startScaledProgram>>;

const maxCallMs = 120_000;

function watched(api: ApiClient, ended: Map<number, number>): ApiClient {
  return {
    ...api,
    call: async (operation, input, options) => {
      try {
        return await api.call(operation, input, options);
      } finally {
        if ('course_id' in input) ended.set(Number(input.course_id), performance.now());
      }
    },
  };
}

/** A real MCP client and the real program, in memory, with an API client whose window is shorter than a minute. */
async function startScaledProgram(options: ScaledOptions) {
  /** When the program ended its work for a course, by course id; milliseconds of the monotonic clock. */
  const ended = new Map<number, number>();
  const api = watched(createScaledClient(options), ended);
  const settings = unlimited(options.url, 'key', { LOG_LEVEL: 'silent' });
  const { client } = await connect(settings, { offered: [getCourse], api });
  return {
    /** Calls get_course. Rejects when the signal aborts. */
    call: async (courseId: number, signal?: AbortSignal) => {
      const params = { name: 'get_course', arguments: { course_id: courseId } };
      const more = { timeout: maxCallMs, ...(signal === undefined ? {} : { signal }) };
      return readAnswer(await client.callTool(params, undefined, more));
    },
    ended,
    budget: api.budget,
  };
}

interface ScaledAccount extends Pick<ScaledOptions, 'limit' | 'windowMs' | 'share' | 'maxWaitWindows' | 'random'> {
  readonly latencyMs: readonly [number, number];
}

/** That program with an API that counts a sliding window. */
export async function startScaledAccount(options: ScaledAccount) {
  const server = await startModelServer({ ...options, model: 'sliding', retryAfter: true });
  return { program: await startScaledProgram({ ...options, url: server.url }), server };
}
