import { type CourseOfLesson, type OldValues, shownFields } from '../../contract/lookups.ts';
import type { AnswerOf, InputOf, Operation } from '../../contract/operation.ts';
import { AcademyError, RateLimitedError } from '../../shared/errors.ts';
import type { SharedStore } from '../../shared/shared-store.ts';
import type { Api, ApiClientOptions, CallOptions } from '../api.ts';
import type { Decoder } from '../http/decode.ts';
import type { EncodedRequest } from '../http/encode.ts';
import { notEndedElsewhereError, successOf, unknownOutcomeError } from '../http/errors.ts';
import { singleRecordErrors } from '../partial-failure.ts';
import type { SendRequest, SendResult } from '../send-with-retries.ts';
import { createSingleFlight } from '../single-flight.ts';
import type { WriteRecord } from './journal.ts';
import { createRecentGrants, createWriteMemory, keyOfCall, recentMs, type UnknownWrite } from './recent-writes.ts';
import { cannotTell, meaningOf, notSeen, type SeenEffect, type Verification, type VerifierContext } from './verify.ts';
import { noteOf, type WriteNote } from './write-outcome.ts';

interface Write<O extends Operation = Operation> {
  readonly operation: O;
  readonly input: InputOf<O>;
  readonly request: EncodedRequest;
  /** Its signal aborts when all callers of an identical write have left. */
  readonly call: CallOptions & { readonly signal: AbortSignal };
  readonly record: WriteRecord | undefined;
  /** When it began, in milliseconds of our clock since 1970. */
  readonly begun: number;
  readonly key: string;
}

interface WriteResult<Answer> {
  readonly answer: Answer;
  readonly note: WriteNote | undefined;
}

type Options = Pick<ApiClientOptions, 'preflight' | 'quarantineMs' | 'maxWaitMs'> & {
  api: Api;
  decoder: Decoder;
  send: (request: SendRequest) => Promise<SendResult>;
  courseOfLesson: CourseOfLesson;
  clockShiftMs: () => number;
  store: SharedStore;
  sleep: (milliseconds: number) => Promise<void>;
};

export type Writes = ReturnType<typeof createWrites>;

/** Pauses before each verification of an unknown outcome, in milliseconds: the API may apply a write late. */
const pausesBeforeVerify = [2_000, 3_000, 10_000];
/** Before a possible resend one short pause is enough: seeing the old value is the reason to resend. */
const pausesBeforeResend = [500];
/** Longest time that a write can run, and how often another replica asks whether it has ended. Milliseconds. */
const lockMs = 180_000;
const lockPollMs = 250;

/** No write is duplicated, lost or misreported. The functions are in the order in which one write runs. */
export function createWrites(options: Options) {
  const { decoder, store, sleep, preflight, quarantineMs, maxWaitMs } = options;
  const flights = createSingleFlight();
  const pending = new Set<Promise<unknown>>();
  const memory = createWriteMemory(store, quarantineMs);
  const grants = createRecentGrants(store);

  /** Identical writes under way share one request. The signal drops a write that was not sent; one that was sent finishes. */
  async function run<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    request: EncodedRequest,
    call: CallOptions,
    record: WriteRecord | undefined,
  ): Promise<AnswerOf<O>> {
    const key = keyOfCall(operation, input);
    const work = (signal: AbortSignal) => {
      const write = { operation, input, request, call: { ...call, signal }, record, begun: Date.now(), key };
      const running = alone(write, () => noted(write));
      pending.add(running);
      return running.finally(() => pending.delete(running));
    };
    const { answer, note } = await flights.run(key, work, call.signal);
    if (note !== undefined) call.onNote?.(note);
    return answer;
  }

  /** Runs a write while no other replica runs an identical one. A replica that died keeps its lock for `lockMs`. */
  async function alone<T>({ operation, key, call }: Write, work: () => Promise<T>): Promise<T> {
    if (!store.isShared()) return await work();
    const lock = `running ${key}`;
    const until = performance.now() + maxWaitMs;
    while ((await store.setIfAbsent(lock, 'running', lockMs)) === false) {
      call.signal.throwIfAborted();
      if (performance.now() >= until) throw notEndedElsewhereError(operation, (await store.get(lock))?.ttlMs ?? 0);
      await sleep(lockPollMs);
    }
    return await work().finally(() => store.delete(lock));
  }

  /** Remembers the end of a write, even if no caller waits any more: in the journal, and before the next identical write begins. */
  async function noted<O extends Operation>(write: Write<O>): Promise<WriteResult<AnswerOf<O>>> {
    const { operation, input, record, key } = write;
    try {
      await grants.beforeWrite(operation, input);
      const done = await perform(write);
      const outcome = done.note?.acceptedFields?.outcome ?? 'applied';
      await record?.end(outcome, shownFields({ ...done.answer }));
      if (outcome === 'applied' && done.note?.sent !== false) await grants.afterWrite(operation, input);
      return done;
    } catch (error) {
      const known = error instanceof AcademyError ? error.outcome : undefined;
      await record?.end(known ?? 'outcome_unknown', {});
      throw error;
    } finally {
      await memory.noteEnd(key);
    }
  }

  async function perform<O extends Operation>(write: Write<O>): Promise<WriteResult<AnswerOf<O>>> {
    const unknown = await memory.findUnknown(write.key);
    if (unknown !== undefined) return await verifyOnly(write, unknown);
    const isCreate = write.operation.repeat === 'creates';
    const before = isCreate ? await lookFirst(write) : cannotTell;
    if (before.state === 'seen') return seen(write, before, alreadyThereNote(before));
    // An effect that was absent before and is there after comes from this write. For a create nothing else proves it.
    const isProof = !isCreate || before.state === 'not_seen';
    return await conclude(write, await options.send(write), isProof);
  }

  /** After an unknown outcome: an identical call sends nothing and only looks for the effect. */
  async function verifyOnly<O extends Operation>(
    write: Write<O>,
    { isProof, old, ttlMs }: UnknownWrite,
  ): Promise<WriteResult<AnswerOf<O>>> {
    const verification = isProof ? await verifyAfter(write, old) : cannotTell;
    if (verification.state !== 'seen') throw unknownOutcomeError(write.operation, undefined, ttlMs);
    await memory.forgetUnknown(write.key);
    const text = `an identical earlier call was applied, as ${verification.where} shows; nothing was sent now`;
    return seen(write, verification, { sent: false, text });
  }

  /** Before a create: is the record already there? A check by the caller counts until an identical create ends. */
  async function lookFirst(write: Write): Promise<Verification> {
    const { checkedAt, signal } = write.call;
    if (checkedAt !== undefined && !(await memory.hasEndedSince(write.key, checkedAt))) return notSeen;
    if (!preflight && checkedAt === undefined) return cannotTell;
    return await verify(write, true, signal).catch((error: unknown) => {
      // The API cannot show it, so only the write itself can tell. If the API is down, nothing is sent.
      if (error instanceof AcademyError && singleRecordErrors.has(error.code)) return cannotTell;
      throw error instanceof AcademyError ? nothingSentError(error) : error;
    });
  }

  async function conclude<O extends Operation>(
    write: Write<O>,
    sent: SendResult,
    isProof: boolean,
  ): Promise<WriteResult<AnswerOf<O>>> {
    const { result, decision } = sent;
    if (decision.next === 'settled') return await accept(write, sent, isProof);
    const pauses = decision.mayResend ? pausesBeforeResend : pausesBeforeVerify;
    const verification = isProof ? await verifyRepeatedly(write, pauses) : cannotTell;
    if (verification.state === 'seen') {
      const reason = result.kind === 'answered' ? 'the answer proved nothing' : 'the answer was lost';
      return seen(write, verification, readBackNote(reason, verification));
    }
    if (decision.mayResend && verification.state === 'not_seen') {
      // The old value is still there, and doing it twice leaves the same state as doing it once.
      const again = await options.send({ ...write, isResend: true }).catch(() => undefined);
      // A refusal of the second request, or a failure to send it, says nothing about the first.
      if (again !== undefined && again.judgement.proved !== 'not_applied') return await conclude(write, again, isProof);
    }
    const { old } = write.call.journal ?? {};
    await memory.noteUnknown(write.key, { isProof, old: old?.values.orders ? old : undefined });
    throw unknownOutcomeError(write.operation, result, quarantineMs);
  }

  /** The API may have written an answer with old values before it made the change, so reading back decides if it can. */
  async function accept<O extends Operation>(
    write: Write<O>,
    { result, judgement: { proved, accepted, isOther } }: SendResult,
    isProof: boolean,
  ): Promise<WriteResult<AnswerOf<O>>> {
    const { json } = successOf(result, proved);
    const verification = accepted.outcome !== 'applied' && isProof ? await verifyRepeatedly(write, [0]) : cannotTell;
    if (verification.state === 'seen')
      return seen(write, verification, readBackNote('the answer showed other values', verification));
    // Another record is not what was written, so it is not shown.
    return { answer: decoder.written(write.operation, isOther ? undefined : json), note: noteOf(accepted) };
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

  /** Looks for the effect with read requests, which count as the write's own. `isBeforeWrite`: nothing has been sent yet. */
  function verify(write: Write, isBeforeWrite: boolean, signal?: AbortSignal, old = write.call.journal?.old) {
    const { operation, input, call, begun } = write;
    const { priority, onRequest, onWait } = call;
    const own = { priority, onRequest, onWait, signal };
    const api: Api = { call: (read, input) => options.api.call(read, input, own) };
    const since = () => new Date(begun + options.clockShiftMs() - recentMs);
    return look(operation, input, { api, since, isBeforeWrite, old });
  }

  function look(operation: Operation, input: object, own: Omit<VerifierContext, 'recentGrants' | 'courseOfLesson'>) {
    const { courseOfLesson } = options;
    return meaningOf(operation).verify(input, { ...own, recentGrants: grants.of, courseOfLesson });
  }

  function seen<O extends Operation>({ operation }: Write<O>, { record }: SeenEffect, note: WriteNote) {
    return { answer: decoder.written(operation, record), note };
  }

  return {
    run,
    look,
    recentGrants: grants.of,
    /** Whether an identical write recently ended with an unknown outcome: the next one only looks for its effect. */
    isOutcomeUnknown: async (operation: Operation, input: object): Promise<boolean> =>
      (await memory.findUnknown(keyOfCall(operation, input))) !== undefined,
    settled: async (): Promise<void> => void (await Promise.allSettled(pending)),
  };
}

const readBackNote = (reason: string, { where }: SeenEffect): WriteNote => ({
  sent: true,
  text: `${reason}; reading back (${where}) shows that it was done`,
});

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

/** The note of a create whose record is already there. Throws `not_applied` if that may differ, so that the caller decides. */
function alreadyThereNote({ where, found = 'an identical record', isIdentical = true }: SeenEffect): WriteNote {
  if (isIdentical)
    return { sent: false, isAlreadyThere: true, text: `${found} already existed, as ${where} shows; nothing was sent` };
  throw new AcademyError('not_applied', `${found} already exists, and may differ from the request; nothing was sent`, {
    hint: `Check it with ${where}. If it matches the request, nothing is left to do. To change it, use the update tool. To add another, use another name or title.`,
    outcome: 'not_applied',
  });
}
