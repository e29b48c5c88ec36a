import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { getAccount } from '../contract/account.ts';
import { withoutCapability } from '../contract/capabilities.ts';
import { getCourseStructure } from '../contract/courses.ts';
import { operationById } from '../contract/index.ts';
import { lessonsOf } from '../contract/lookups.ts';
import type { AnswerOf, InputOf, Operation } from '../contract/operation.ts';
import { AcademyError, ApiError } from '../shared/errors.ts';
import { isObject, type Json } from '../shared/json.ts';
import { createMemoryStore, type SharedStore } from '../shared/shared-store.ts';
import { createShutdownSignal } from '../shared/shutdown.ts';
import type { Api, ApiClientOptions, CallOptions } from './api.ts';
import { type Answered, type AttemptResult, ageIn, headerOf } from './http/attempt-result.ts';
import { anotherRecord, createDecoder, isAnotherRecord } from './http/decode.ts';
import { type EncodedRequest, encodeRequest } from './http/encode.ts';
import { cancelledError } from './http/errors.ts';
import { createSendWithRetries } from './send-with-retries.ts';
import { createSingleFlight } from './single-flight.ts';
import type { Journal, Part } from './writes/journal.ts';
import { cannotTell, type Verification } from './writes/verify.ts';
import { createWrites, type Writes } from './writes/write.ts';

/** The platform may make a write late: until then, not seeing it proves nothing. Milliseconds. */
const settlingMs = 15_000;
const isSettled = ({ at }: Part) => Date.now() - at > settlingMs;

/** An order that is this much older than a write may be its own: the clocks of two machines differ. Milliseconds. */
const marginMs = 10_000;

interface SettlingOptions extends Pick<Writes, 'look'> {
  journal: Journal | undefined;
  clockShiftMs: () => number;
  pause: (milliseconds: number) => Promise<void>;
}

/** Looks for the effect of writes of unknown outcome, such as those of a program that was killed. */
function createSettling({ journal, look, clockShiftMs, pause }: SettlingOptions) {
  async function lookFor({ operation: id, course, input, at, old }: Part, api: Api): Promise<Verification> {
    const operation = operationById(id);
    if (operation === undefined) return cannotTell;
    const since = () => new Date(at + clockShiftMs() - marginMs);
    try {
      // A lesson is found by its course.
      if (course !== undefined) await api.call(getCourseStructure, { course_id: course });
      return await look(operation, input, { api, since, isBeforeWrite: false, old });
    } catch (error) {
      if (error instanceof AcademyError && error.code !== 'cancelled') return cannotTell;
      throw error;
    }
  }

  async function settle(parts: readonly Part[], api: Api): Promise<void> {
    for (const part of parts) {
      const seen = await lookFor(part, api);
      const isSeen = seen.state === 'seen';
      if (!isSeen && (seen.state !== 'not_seen' || !isSettled(part))) continue;
      const isCreated = isSeen && operationById(part.operation)?.effect === 'create';
      await journal?.settle(part, isSeen ? 'applied' : 'not_applied', (isCreated && seen.record) || {});
    }
  }

  /** All that are open, when the youngest is old enough. */
  async function settleAll(api: Api): Promise<void> {
    const parts = (journal?.read().changes ?? []).flatMap((change) => change.parts);
    const open = parts.filter(({ outcome }) => outcome === 'outcome_unknown');
    if (!open.every(isSettled)) await pause(settlingMs);
    await settle(open, api);
  }

  return { settle, settleAll };
}

/** The time to read an answer before its next part is requested, in milliseconds. */
const ttlMs = 5 * 60_000;
/** Characters. A longer answer is read again. */
const maxText = 4_000_000;

/** Answers that another replica may need for the next part of a long one. One process alone caches what it made of them. */
function createKeptAnswers(store: SharedStore) {
  const keyOf = (request: string) => `kept ${request}`;
  return {
    find: async (request: string): Promise<AttemptResult | undefined> => {
      if (!store.isShared()) return undefined;
      const found = await store.get(keyOf(request));
      return found && (JSON.parse(found.value) as AttemptResult);
    },
    save: async (request: string, result: AttemptResult): Promise<void> => {
      if (!store.isShared() || result.kind !== 'answered' || result.status !== 200) return;
      const text = JSON.stringify(result);
      if (text.length <= maxText) await store.set(keyOf(request), text, ttlMs);
    },
  };
}

export type ApiClient = ReturnType<typeof createApiClient>;

export function createApiClient(options: ApiClientOptions) {
  const { baseUrl, limiter, log, journal, now, onAnswer, pace = 1, random = Math.random, preflight } = options;
  const { quarantineMs, maxWaitMs, store = createMemoryStore({ ...(now && { now }) }) } = options;
  const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
    setTimeout(milliseconds * pace, undefined, signal === undefined ? {} : { signal });
  const decoder = createDecoder(log);
  const { learn, apiVersion, clockShiftMs } = createPlatform(log);
  const { send, isKeyRefused } = createSendWithRetries({ ...options, onArrival: learn, random, sleep });
  const lessonIndex = createLessonIndex();
  const capabilities = createAccountCapabilities();
  const reads = createSingleFlight();
  const closing = createShutdownSignal();
  // When the program ends, so does the pause between two verifications.
  const pause = (milliseconds: number) => sleep(milliseconds, closing.signal).catch(() => {});
  const kept = createKeptAnswers(store);

  /** Concurrent identical reads share one request. */
  async function read<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    request: EncodedRequest,
    call: CallOptions,
  ): Promise<AnswerOf<O>> {
    const key = `${request.method} ${request.url.href} ${request.body ?? ''}`;
    const work = async (signal: AbortSignal) => {
      const found = call.kept === 'use' ? await kept.find(key) : undefined;
      const result = found ?? (await send({ operation, request, input, call: { ...call, signal } })).result;
      if (found === undefined && call.kept !== undefined) await kept.save(key, result);
      const answer = decoder.read(operation, result);
      if (operation.response.kind !== 'list' && isAnotherRecord(input, answer))
        throw new AcademyError('unexpected_response', anotherRecord);
      return answer;
    };
    // A kept answer may be old: a caller who wants a fresh one must not get it.
    const flight = call.kept === 'use' ? `kept ${key}` : key;
    const answer = await reads.run(flight, work, call.signal);
    for (const memory of [lessonIndex, capabilities]) memory.learn(operation, answer);
    onAnswer?.(operation, answer);
    return answer;
  }

  function recordOf(operation: Operation, input: Json, { origin, journal: facts }: CallOptions) {
    const course = typeof input.lesson_id === 'number' ? lessonIndex.courseOf(input.lesson_id) : undefined;
    return journal?.record(operation, input, origin, facts, course);
  }

  let settled: Promise<void> | undefined;
  const api: Api = { call: (...request) => client.call(...request) };
  const writes = createWrites({
    ...{ api, decoder, send, store, sleep: pause, preflight, quarantineMs, maxWaitMs },
    courseOfLesson: lessonIndex.courseOf,
    clockShiftMs,
  });
  const settling = createSettling({ journal, look: writes.look, clockShiftMs, pause });
  const client = {
    call: async <O extends Operation>(
      operation: O,
      input: InputOf<O>,
      call: CallOptions = {},
    ): Promise<AnswerOf<O>> => {
      const request = encodeRequest(baseUrl, operation, input);
      try {
        if (operation.effect === 'read') return await read(operation, input, request, call);
        return await writes.run(operation, input, request, call, recordOf(operation, input, call));
      } catch (error) {
        if (error instanceof AcademyError) throw capabilities.explain(operation, error);
        if (call.signal?.aborted || closing.signal.aborted) throw cancelledError(operation);
        throw error;
      }
    },
    courseOfLesson: lessonIndex.courseOf,
    isOutcomeUnknown: writes.isOutcomeUnknown,
    settleUnknown: settling.settle,
    /** Looks for the effect of all writes of unknown outcome in the journal, once, in the background. */
    settleJournal: (): void => {
      const { signal } = closing;
      const background: Api = {
        call: (operation, input) => client.call(operation, input, { priority: 'background', signal }),
      };
      settled ??= settling.settleAll(background).catch((err: unknown) => {
        if (!signal.aborted) log.warn({ err }, 'open writes of the journal could not be checked');
      });
    },
    /** What this program and its replicas gave a student in the last ten minutes. */
    recentGrants: writes.recentGrants,
    checksBeforeCreate: preflight,
    budget: limiter.budget,
    /** Why calls would fail now, as far as the client knows without a request. */
    problem: (): string | undefined => {
      if (isKeyRefused()) return 'the API refuses the key';
      return limiter.isFull() ? "the queue for the account's limit is full" : undefined;
    },
    apiVersion,
    clockShiftMs,
    endReads: reads.end,
    close: async (): Promise<void> => {
      // Ends all waiting for turns and verifications. Requests under way finish.
      closing.abort();
      await limiter.stop();
      await Promise.all([writes.settled(), settled]);
      await options.http.close();
      await options.audit?.end();
      await journal?.close();
    },
  };
  return client;
}

export const supportedVersion = 'v1';

/** Smaller differences count as none: the Date header has whole seconds, and "recent" means minutes. Milliseconds. */
const smallestDifference = 60_000;

/** Tracks version and clock of the platform. Logs each API version other than the supported one, once. */
function createPlatform(log: Logger) {
  const loggedVersions = new Set<string | undefined>([supportedVersion]);
  let clockShiftMs = 0;
  let apiVersion: string | undefined;

  /** The header is cut to whole seconds, hence the half. The server wrote it at some point of the round trip. */
  function learnClock(result: Answered, sentAt: number): void {
    const serverTime = ageIn(result) > 0 ? Number.NaN : Date.parse(headerOf(result, 'date') ?? '');
    if (Number.isNaN(serverTime)) return;
    const difference = Math.round(serverTime + 500 - (sentAt + Date.now()) / 2);
    clockShiftMs = Math.abs(difference) > smallestDifference ? difference : 0;
  }

  function learnVersion(version: string | undefined): void {
    apiVersion = version?.trim().slice(0, 40);
    if (loggedVersions.has(apiVersion) || loggedVersions.size > 10) return;
    loggedVersions.add(apiVersion);
    const what = apiVersion === undefined ? 'do not name their API version' : 'are of another API version';
    log.warn({ apiVersion, expected: supportedVersion }, `answers ${what}`);
  }

  return {
    learn: (result: Answered, sentAt: number): void => {
      learnClock(result, sentAt);
      // The API itself made it.
      if (result.body === 'json' && result.status < 300) learnVersion(headerOf(result, 'x-api-version'));
    },
    apiVersion: () => apiVersion,
    /** The server's clock less ours, in milliseconds; 0 if they differ by less than a minute. */
    clockShiftMs: () => clockShiftMs,
  };
}

const maxLessons = 50_000;

/** The course of each lesson in the structures that were read: the API cannot be asked for it. */
function createLessonIndex() {
  const courses = new Map<number, number>();
  return {
    learn: ({ id }: Operation, answer: object): void => {
      if (id !== getCourseStructure.id) return;
      const structure: AnswerOf<typeof getCourseStructure> = { ...answer };
      const course = structure.course?.id;
      if (course === undefined) return;
      if (courses.size > maxLessons) courses.clear();
      for (const lesson of lessonsOf(structure)) if (lesson.id !== undefined) courses.set(lesson.id, course);
    },
    courseOf: (lessonId: number): number | undefined => courses.get(lessonId),
  };
}

function createAccountCapabilities() {
  let shown: Readonly<Record<string, unknown>> = {};
  return {
    learn: ({ id }: Operation, answer: object): void => {
      const list: unknown = id === getAccount.id && 'capabilities' in answer ? answer.capabilities : undefined;
      if (isObject(list)) shown = list;
    },
    /** Adds to a 403 that the capability of the operation is off. Returns any other error as it is. */
    explain: ({ capability }: Operation, error: AcademyError): AcademyError => {
      const off = [capability, 'admin_api' as const].find((name) => shown[name] === false);
      if (!(error instanceof ApiError) || error.code !== 'forbidden' || off === undefined) return error;
      const message = `${error.message}: this account's API ${withoutCapability[off]} (capability ${off} is off)`;
      const hint = 'get_account shows what this account allows; the platform switches it, not this server.';
      return new ApiError(error.code, message, error.answer, { hint, outcome: error.outcome, cause: error.cause });
    },
  };
}
