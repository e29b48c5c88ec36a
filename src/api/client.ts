import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { InputOf, Operation } from '../contract/operation.ts';
import { AcademyError } from '../shared/errors.ts';
import type { Meter } from '../shared/metrics.ts';
import { createEnd } from '../shared/shutdown.ts';
import { createCapabilities } from './account-capabilities.ts';
import type { Api, ApiClient, CallOptions } from './api.ts';
import { jsonOf, type Outcome } from './http/attempt-result.ts';
import { emptyAnswer } from './http/decode.ts';
import { type EncodedRequest, encodeRequest } from './http/encode.ts';
import { cancelled, unknownOutcome } from './http/errors.ts';
import type { Http } from './http/http.ts';
import { createDecoder } from './http/read-answer.ts';
import { createPlatform } from './platform.ts';
import type { Limiter } from './rate-limit/limiter.ts';
import { createSendWithRetries } from './send-with-retries.ts';
import { createSingleFlight } from './single-flight.ts';
import { takenOf, takenSoFar } from './writes/accepted-fields.ts';
import type { AuditLog } from './writes/audit-log.ts';
import { showsAnother } from './writes/fields-in-answer.ts';
import { createKnownOrders, recentMs } from './writes/known-orders.ts';
import { createLessonIndex } from './writes/lesson-index.ts';
import { createUnknownWrites, keyOfCall } from './writes/unknown-writes.ts';
import { verifierOf } from './writes/verify/index.ts';
import { createWrites } from './writes/write.ts';
import { recordKeyOf, writeOutcomeOf } from './writes/write-outcome.ts';
import type { WriteSteps } from './writes/write-steps.ts';

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
  const { read, parse } = createDecoder(log);
  const platform = createPlatform(log);
  const { send, isKeyRefused } = createSendWithRetries({ ...options, platform, random, sleep });
  const lessonIndex = createLessonIndex();
  const orders = createKnownOrders();
  const capabilities = createCapabilities();
  const reads = createSingleFlight();
  const flights = createSingleFlight();
  const closing = createEnd();
  // At the end of the program the pause between two looks is over, too.
  const pause = (milliseconds: number) => sleep(milliseconds, closing.signal).catch(() => {});
  const unknownWrites = createUnknownWrites(quarantineMs);
  const writes = createWrites({ unknownWrites, flights, sleep: pause, preflight });

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
    for (const memory of [lessonIndex, orders, capabilities]) memory.learn(operation, answer);
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
      takenSoFar(outcome, takenOf(operation, input, jsonOf(outcome), lessonIndex.lastSeen(input)));
    const judge = (outcome: Outcome) => {
      const writeOutcome = writeOutcomeOf(outcome, recordKeyOf(operation));
      // For the record only: what an answer with other values leaves open is looked at later.
      return writeOutcome === 'applied' && taken(outcome).outcome !== 'applied' ? 'outcome_unknown' : writeOutcome;
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
        verifierOf(operation)(input, {
          api: reader(signal),
          since,
          orders,
          beforehand,
          courseOfLesson: lessonIndex.courseOf,
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
    lessonIndex.forget(input);
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
    recordIndex: { courseOfLesson: lessonIndex.courseOf },
    isUnsettled: (operation, input) => unknownWrites.remaining(keyOfCall(operation, input)) > 0,
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
