import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AuditLog } from '../audit.ts';
import type { ParsedAnswer } from '../contract/answer.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import { AcademyError } from '../errors.ts';
import type { Meter } from '../metrics.ts';
import { createCapabilities } from './capability.ts';
import { type EncodedRequest, encodeRequest } from './encode.ts';
import { createEnd } from './end-signal.ts';
import { cancelled, unknownOutcome } from './errors.ts';
import type { Http } from './http.ts';
import { createKnownOrders, recentMs } from './known-orders.ts';
import { createLessonPlaces } from './lesson-places.ts';
import type { Budget, Limiter, Priority } from './limiter.ts';
import { jsonOf, type Outcome } from './outcome.ts';
import { emptyAnswer } from './parse.ts';
import { createPlatform, type PlatformReport } from './platform.ts';
import { createQuarantine, keyOfCall } from './quarantine.ts';
import { createReader } from './reader.ts';
import { createSender } from './sender.ts';
import { showsAnother } from './shown-fields.ts';
import { createSingleFlight } from './single-flight.ts';
import { takenOf, takenSoFar } from './taken.ts';
import { recordKeyOf, verdictOf } from './verdict.ts';
import { witnessOf } from './witness/index.ts';
import type { WriteNote, WriteSteps } from './write-steps.ts';
import { createWrites } from './writes.ts';

export interface CallOptions {
  /** Ends a wait and a read at once; a write that was sent is let finish. */
  signal?: AbortSignal | undefined;
  priority?: Exclude<Priority, 'retry'> | undefined;
  onWait?: ((milliseconds: number) => void) | undefined;
  /** Counts each request that is sent. */
  onRequest?: (() => void) | undefined;
  /** Hears how a write came to be applied, where it was not simply answered so. */
  onNote?: ((note: WriteNote) => void) | undefined;
  /**
   * Of a create: when the caller began to look for its effect (`performance.now()`), and did not see it. It is looked for
   * again only where an equal one was made since.
   */
  lookedAt?: number | undefined;
  /** For the audit log. */
  origin?: { tool: string; caller: string } | undefined;
}

/** What a tool sees of the API. */
export interface Api {
  /**
   * Sends one operation, as often as is safe, and reads its answer. Resolves only to what was answered or, for a write,
   * seen to be done; throws `AcademyError` otherwise, whose `outcome` says what is known of a write.
   */
  call<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    options?: CallOptions,
  ): Promise<ParsedAnswer<O['response']>>;
}

export interface ApiClient extends Api {
  /** The course of a lesson, where a structure that was read has shown it. */
  courseOfLesson(lessonId: number): number | undefined;
  /** Whether an equal write of unknown outcome was sent a short while ago: it would only be looked for now. */
  isUnsettled(operation: Operation, input: object): boolean;
  /** Whether a create first looks for what is there. */
  readonly looksFirst: boolean;
  budget(): Budget;
  /** Why calls would fail now, as far as is known without asking the API. */
  problem(): string | undefined;
  /** What is known of the platform from its answers so far. */
  platform(): PlatformReport;
  /** What to add to a time of ours to have the server's, in milliseconds; 0 where they differ by less than a minute. */
  clockShiftMs(): number;
  /** Ends reads that are under way: the program has no more time for them. */
  endReads(): void;
  /** Lets writes that are under way finish, then ends. */
  close(): Promise<void>;
}

export interface ApiClientOptions {
  baseUrl: URL;
  http: Http;
  limiter: Limiter;
  log: Logger;
  audit?: AuditLog | undefined;
  meter?: Meter | undefined;
  /** Hears each answer as it was read. */
  onAnswer?: (operation: Operation, answer: object) => void;
  /** Longest time for all attempts of a call together, in milliseconds. */
  deadlineMs: number;
  /** How long a write of unknown outcome is not sent again, in milliseconds. */
  quarantineMs: number;
  /** Whether a create first looks for an equal record. */
  preflight: boolean;
  /** Factor of all pauses: 1, or less in a test that cannot wait. */
  pace?: number;
  random?: () => number;
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  const { baseUrl, limiter, log, onAnswer, pace = 1, random = Math.random, quarantineMs, preflight } = options;
  const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    setTimeout(milliseconds * pace, undefined, signal === undefined ? {} : { signal });
  const { read, parse } = createReader(log);
  const platform = createPlatform(log);
  const { send, isKeyRefused } = createSender({ ...options, platform, random, sleep });
  const places = createLessonPlaces();
  const orders = createKnownOrders();
  const capabilities = createCapabilities();
  const reads = createSingleFlight();
  const flights = createSingleFlight();
  const closing = createEnd();
  // At the end of the program the pause between two looks is over, too.
  const pause = (milliseconds: number) => sleep(milliseconds, closing.signal).catch(() => {});
  const quarantine = createQuarantine(quarantineMs);
  const writes = createWrites({ quarantine, flights, sleep: pause, preflight });

  /** Equal reads under way are one request. */
  async function readOnce<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    request: EncodedRequest,
    call: CallOptions,
  ) {
    const judge = () => 'applied' as const;
    const work = async (signal: AbortSignal) => {
      const { outcome } = await send({ operation, request, input, call: { ...call, signal }, judge });
      return read<O['response']>(operation, operation.response, outcome);
    };
    const key = `${request.method} ${request.url.href} ${request.body ?? ''}`;
    const answer = await reads.run(key, work, call.signal);
    for (const memory of [places, orders, capabilities]) memory.learn(operation, answer);
    onAnswer?.(operation, answer);
    return answer;
  }

  function stepsOf<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    request: EncodedRequest,
    call: CallOptions,
  ): WriteSteps<O['response']> {
    const begun = Date.now();
    const since = () => new Date(begun + platform.clockShiftMs() - recentMs);
    const taken = (outcome: Outcome) =>
      takenSoFar(outcome, takenOf(operation, input, jsonOf(outcome), places.lastSeen(input)));
    const judge = (outcome: Outcome) => {
      const verdict = verdictOf(outcome, recordKeyOf(operation));
      // For the record only: what an answer with other values leaves open is looked at later.
      return verdict === 'applied' && taken(outcome).outcome !== 'applied' ? 'outcome_unknown' : verdict;
    };
    // Looking is part of the write: after it was sent it goes on when the caller has left, and its requests count as the
    // write's. Before, nothing is lost when it ends with the call.
    const reader = (signal: AbortSignal | undefined): Api => {
      const look = { priority: call.priority, onRequest: call.onRequest, onWait: call.onWait, signal };
      return { call: (other, query) => client.call(other, query, look) };
    };
    return {
      operation,
      input,
      lookedAt: call.lookedAt,
      send: (isRepeat, signal) => send({ operation, request, input, call: { ...call, signal }, isRepeat, judge }),
      taken,
      look: (beforehand, signal) =>
        witnessOf(operation)(input, {
          api: reader(signal),
          since,
          orders,
          beforehand,
          courseOfLesson: places.courseOf,
        }),
      read: (outcome) => {
        const answer = read<O['response']>(operation, operation.response, outcome);
        // Some other record is not what was written: better none is shown.
        return showsAnother(operation, input, jsonOf(outcome))
          ? emptyAnswer<O['response']>(operation.response)
          : answer;
      },
      found: (record = {}) => parse<O['response']>(operation, operation.response, record),
      unknown: (outcome, blockedMs) => unknownOutcome(operation, outcome, blockedMs),
    };
  }

  async function write<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    request: EncodedRequest,
    call: CallOptions,
  ) {
    const { answer, note } = await writes.run(stepsOf(operation, input, request, call), call.signal);
    places.forget(input);
    if (note !== undefined) call.onNote?.(note);
    return answer;
  }

  const client: ApiClient = {
    call: async (operation, input, call = {}) => {
      const request = encodeRequest(baseUrl, operation, input);
      try {
        return await (operation.effect === 'read' ? readOnce : write)(operation, input, request, call);
      } catch (error) {
        if (error instanceof AcademyError) throw capabilities.explain(operation, error);
        // The caller has left, or the program ends.
        if (call.signal?.aborted || closing.signal.aborted) throw cancelled(operation);
        throw error;
      }
    },
    courseOfLesson: places.courseOf,
    isUnsettled: (operation, input) => quarantine.remaining(keyOfCall(operation, input)) > 0,
    looksFirst: preflight,
    budget: limiter.budget,
    problem: () => {
      if (isKeyRefused()) return 'the API refuses the key';
      return limiter.isFull() ? "the queue for the account's limit is full" : undefined;
    },
    platform: platform.report,
    clockShiftMs: platform.clockShiftMs,
    endReads: reads.end,
    close: async () => {
      // Nobody waits for a turn or between two looks any more; what is on its way is let finish.
      closing.abort();
      await limiter.stop();
      await writes.settled();
      await options.http.close();
      options.audit?.end();
    },
  };
  return client;
}
