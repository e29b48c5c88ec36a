import type { OldValues } from '../../contract/lookups.ts';
import type { InputOf, Operation } from '../../contract/operation.ts';
import type { ParsedResponse } from '../../contract/schemas/response.ts';
import { AcademyError, RateLimitedError } from '../../shared/errors.ts';
import type { SharedStore } from '../../shared/shared-store.ts';
import type { Api, CallOptions } from '../api.ts';
import type { AttemptResult } from '../http/attempt-result.ts';
import { type Decoder, emptyAnswer } from '../http/decode.ts';
import type { EncodedRequest } from '../http/encode.ts';
import { notEndedElsewhereError, unknownOutcomeError } from '../http/errors.ts';
import { singleRecordErrors } from '../partial-failure.ts';
import type { SendRequest, SendResult } from '../send-with-retries.ts';
import { createSingleFlight } from '../single-flight.ts';
import type { WriteRecord } from './journal.ts';
import { type Judgement, judgeAnswer } from './judge-answer.ts';
import { createRecentWrites, keyOfCall, recentMs, type UnknownWrites } from './recent-writes.ts';
import { cannotTell, meaningOf, notSeen, type SeenEffect, type Verification, type VerifierContext } from './verify.ts';
import { noteOf, type WriteNote } from './write-outcome.ts';

interface Write<O extends Operation = Operation> {
  readonly operation: O;
  readonly input: InputOf<O>;
  readonly request: EncodedRequest;
  readonly call: CallOptions;
  /** Its lines in the journal; undefined if there is none. */
  readonly record: WriteRecord | undefined;
  readonly judge: (result: AttemptResult) => Judgement;
  /** When it began, in milliseconds of our clock since 1970. */
  readonly begun: number;
}

type AnswerOf<O extends Operation> = ParsedResponse<O['response']>;

interface WriteResult<Answer> {
  readonly answer: Answer;
  readonly note: WriteNote | undefined;
}

interface WritesOptions extends Pick<VerifierContext, 'recentGrants' | 'courseOfLesson'> {
  api: Api;
  decoder: Decoder;
  send: (request: SendRequest) => Promise<SendResult>;
  clockShiftMs: () => number;
  unknownWrites: UnknownWrites;
  /** What identical writes on other replicas must know. */
  store: SharedStore;
  sleep: (milliseconds: number) => Promise<void>;
  preflight: boolean;
  /** Longest time that a write waits for an identical one on another replica, in milliseconds. */
  maxWaitMs: number;
}

interface Progress {
  readonly key: string;
  readonly signal: AbortSignal;
  /** Whether seeing the effect proves that this write made it. */
  readonly isProof: boolean;
}

/** Pauses before each verification of an unknown outcome, in milliseconds: the API may apply a write late. */
const pausesBeforeVerify = [2_000, 3_000, 10_000];
/** Longest time that a write can run, and how often another replica asks whether it has ended. Milliseconds. */
const lockMs = 180_000;
const lockPollMs = 250;
/** Before a possible resend one short pause is enough: seeing the old value is the reason to resend. */
const pausesBeforeResend = [500];

/**
 * Makes sure that no write is duplicated, lost or misreported. The functions are in the order in which one write runs:
 * join an identical write, look first, send, judge the answer, verify, note.
 */
export function createWrites(options: WritesOptions) {
  const { decoder, unknownWrites, store, sleep, preflight, maxWaitMs } = options;
  const flights = createSingleFlight();
  const pending = new Set<Promise<unknown>>();
  const recentWrites = createRecentWrites(store);

  /** Identical writes under way share one request. The signal drops a write that was not sent; one that was sent finishes. */
  async function run<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    request: EncodedRequest,
    call: CallOptions,
    record: WriteRecord | undefined,
  ): Promise<WriteResult<AnswerOf<O>>> {
    const judge = (result: AttemptResult) => judgeAnswer(operation, input, call.journal?.old?.values, result);
    const write: Write<O> = { operation, input, request, call, record, judge, begun: Date.now() };
    const key = keyOfCall(operation, input);
    const work = (allLeft: AbortSignal) => {
      // Recorded before anything else can happen: the next identical write must know of this one.
      const running = alone(write, key, allLeft, () =>
        journaled(write, perform(write, key, allLeft)).finally(() => recentWrites.add(key)),
      );
      pending.add(running);
      return running.finally(() => pending.delete(running));
    };
    return await flights.run(key, work, call.signal);
  }

  /** Sends the request as often as is provably safe. */
  function send(write: Write, isResend: boolean, signal: AbortSignal): Promise<SendResult> {
    return options.send({ ...write, call: { ...write.call, signal }, isResend });
  }

  /** Looks for the effect with read requests, which count as the write's own. `isBeforeWrite`: nothing has been sent yet. */
  function verify(write: Write, isBeforeWrite: boolean, signal?: AbortSignal, old = write.call.journal?.old) {
    const { operation, input, call, begun } = write;
    const { priority, onRequest, onWait } = call;
    const own = { priority, onRequest, onWait, signal };
    const api: Api = { call: (read, given) => options.api.call(read, given, own) };
    const since = () => new Date(begun + options.clockShiftMs() - recentMs);
    return look(operation, input, { api, since, isBeforeWrite, old });
  }

  function look(operation: Operation, input: object, own: Omit<VerifierContext, 'recentGrants' | 'courseOfLesson'>) {
    const { recentGrants, courseOfLesson } = options;
    return meaningOf(operation).verify(input, { ...own, recentGrants, courseOfLesson });
  }

  /**
   * Runs a write while no other replica runs an identical one. The lock of a replica that died lasts until `lockMs` have
   * passed, and nothing tells whether it has sent its write.
   */
  async function alone<T>({ operation }: Write, key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (!store.isShared()) return await work();
    const lock = `running ${key}`;
    const until = performance.now() + maxWaitMs;
    while ((await store.setIfAbsent(lock, 'running', lockMs)) === false) {
      signal.throwIfAborted();
      if (performance.now() >= until) {
        throw notEndedElsewhereError(operation, (await store.get(lock))?.ttlMs ?? 0);
      }
      await sleep(lockPollMs);
    }
    return await work().finally(() => store.delete(lock));
  }

  async function perform<O extends Operation>(
    write: Write<O>,
    key: string,
    signal: AbortSignal,
  ): Promise<WriteResult<AnswerOf<O>>> {
    if ((await unknownWrites.remaining(key)) > 0) return await verifyOnly(write, key);
    const isCreate = write.operation.repeat === 'creates';
    const before = isCreate ? await lookFirst(write, key, signal) : cannotTell;
    if (before.state === 'seen') return seen(write, before, alreadyThereNote(before));
    // An effect that was absent before and is there after comes from this write. For a create nothing else proves it.
    const isProof = !isCreate || before.state === 'not_seen';
    return await judge(write, await send(write, false, signal), { key, signal, isProof });
  }

  /** After an unknown outcome: an identical call sends nothing and only looks for the effect. */
  async function verifyOnly<O extends Operation>(write: Write<O>, key: string): Promise<WriteResult<AnswerOf<O>>> {
    const unknown = await unknownWrites.find(key);
    const verification = unknown?.isProof ? await verifyAfter(write, unknown.old) : cannotTell;
    if (verification.state !== 'seen') {
      throw unknownOutcomeError(write.operation, undefined, await unknownWrites.remaining(key));
    }
    await unknownWrites.release(key);
    const text = `an identical earlier call was applied, as ${verification.where} shows; nothing was sent now`;
    return seen(write, verification, { sent: false, text });
  }

  /** Before a create: is the record already there? A check by the caller counts until an identical create ends. */
  async function lookFirst(write: Write, key: string, signal: AbortSignal): Promise<Verification> {
    const { checkedAt } = write.call;
    if (checkedAt !== undefined && !(await recentWrites.isSince(key, checkedAt))) return notSeen;
    if (!preflight && checkedAt === undefined) return cannotTell;
    return await verify(write, true, signal).catch((error: unknown) => {
      // The API cannot show it, so only the write itself can tell. If the API is down, nothing is sent.
      if (error instanceof AcademyError && singleRecordErrors.has(error.code)) return cannotTell;
      throw error instanceof AcademyError ? nothingSentError(error) : error;
    });
  }

  async function judge<O extends Operation>(
    write: Write<O>,
    { result, decision }: SendResult,
    progress: Progress,
  ): Promise<WriteResult<AnswerOf<O>>> {
    if (decision.next === 'settled') return await checkAnswer(write, result, progress);
    const pauses = decision.mayResend ? pausesBeforeResend : pausesBeforeVerify;
    const verification = progress.isProof ? await verifyRepeatedly(write, pauses) : cannotTell;
    if (verification.state === 'seen') {
      const reason = 'status' in result ? 'the answer proved nothing' : 'the answer was lost';
      const text = `${reason}; reading back (${verification.where}) shows that it was done`;
      return seen(write, verification, { sent: true, text });
    }
    if (decision.mayResend && verification.state === 'not_seen') {
      // The old value is still there, and doing it twice leaves the same state as doing it once.
      const again = await send(write, true, progress.signal).catch(() => undefined);
      // A refusal of the second request, or a failure to send it, says nothing about the first.
      if (again !== undefined && write.judge(again.result).proved !== 'not_applied')
        return await judge(write, again, progress);
    }
    const { old } = write.call.journal ?? {};
    await unknownWrites.add(progress.key, { isProof: progress.isProof, old: old?.values.orders ? old : undefined });
    throw unknownOutcomeError(write.operation, result, await unknownWrites.remaining(progress.key));
  }

  /** The API may have written an answer with old values before it made the change, so reading back decides if it can. */
  async function checkAnswer<O extends Operation>(
    write: Write<O>,
    result: AttemptResult,
    { isProof }: Progress,
  ): Promise<WriteResult<AnswerOf<O>>> {
    const { operation } = write;
    const read = decoder.read<O['response']>(operation, operation.response, result);
    const { accepted, isOther } = write.judge(result);
    // Another record is not what was written, so it is not shown.
    const answer = isOther ? emptyAnswer<O['response']>(operation.response) : read;
    const verification = accepted.outcome !== 'applied' && isProof ? await verifyRepeatedly(write, [0]) : cannotTell;
    if (verification.state !== 'seen') return { answer, note: noteOf(accepted) };
    const text = `the answer showed other values; reading back (${verification.where}) shows that it was done`;
    return seen(write, verification, { sent: true, text });
  }

  async function verifyRepeatedly(write: Write, pauses: readonly number[]): Promise<Verification> {
    let verification: Verification = cannotTell;
    for (const pause of pauses) {
      await sleep(pause);
      verification = await verifyAfter(write);
      if (verification.state === 'seen') return verification;
    }
    return verification;
  }

  /** A read that fails shows nothing. */
  async function verifyAfter(write: Write, old?: OldValues): Promise<Verification> {
    return await verify(write, false, undefined, old).catch(() => cannotTell);
  }

  function seen<O extends Operation>(
    { operation }: Write<O>,
    { record = {} }: SeenEffect,
    note: WriteNote,
  ): WriteResult<AnswerOf<O>> {
    return { answer: decoder.parse<O['response']>(operation, operation.response, record), note };
  }

  return {
    run,
    look,
    settled: async (): Promise<void> => void (await Promise.allSettled(pending)),
  };
}

/** Writes the second line of the journal, also if no caller waits any more. */
async function journaled<Answer>(
  { record }: Write,
  performing: Promise<WriteResult<Answer>>,
): Promise<WriteResult<Answer>> {
  try {
    const done = await performing;
    await record?.end(done.note?.acceptedFields?.outcome ?? 'applied', Object(done.answer));
    return done;
  } catch (error) {
    const known = error instanceof AcademyError ? error.outcome : undefined;
    await record?.end(known ?? 'outcome_unknown', {});
    throw error;
  }
}

/** The error of a write whose read before it failed, so that nothing was sent. */
export function nothingSentError(error: AcademyError): AcademyError {
  const { code, hint } = error;
  const message = `${error.message}; nothing was changed`;
  if (error instanceof RateLimitedError) {
    // A caller that can wait uses these seconds. The cause holds the words of the API.
    const { retryAfterSeconds, cause } = error;
    return new RateLimitedError(message, retryAfterSeconds, { outcome: 'not_applied', cause });
  }
  return new AcademyError(code, message, { hint, outcome: 'not_applied', cause: error });
}

/**
 * The note for a create whose record is already there. Throws `not_applied` if that record may differ from what was
 * asked for: then the caller decides.
 */
function alreadyThereNote({ where, found = 'an identical record', isIdentical = true }: SeenEffect): WriteNote {
  if (isIdentical)
    return { sent: false, isAlreadyThere: true, text: `${found} already existed, as ${where} shows; nothing was sent` };
  throw new AcademyError('not_applied', `${found} already exists, and may differ from the request; nothing was sent`, {
    hint: `Check it with ${where}. If it matches the request, nothing is left to do. To change it, use the update tool. To add another, use another name or title.`,
    outcome: 'not_applied',
  });
}
