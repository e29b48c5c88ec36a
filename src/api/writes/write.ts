import type { Operation } from '../../contract/operation.ts';
import { AcademyError, RateLimitedError } from '../../shared/errors.ts';
import type { SharedStore } from '../../shared/shared-store.ts';
import type { AttemptResult } from '../http/attempt-result.ts';
import { notEndedElsewhereError, unknownOutcomeError } from '../http/errors.ts';
import { singleRecordErrors } from '../partial-failure.ts';
import type { SendResult } from '../send-with-retries.ts';
import type { SingleFlight } from '../single-flight.ts';
import type { WriteRecord } from './journal.ts';
import { createRecentWrites, keyOfCall, type UnknownWrites } from './recent-writes.ts';
import { cannotTell, notSeen, type SeenEffect, type Verification } from './verify.ts';
import type { AcceptedFields } from './write-outcome.ts';
import { noteOf, recordKeyOf, type WriteNote, writeOutcomeOf } from './write-outcome.ts';

/** One write, as prepare-write.ts makes it. This file gives the order of its steps. `Answer` is the parsed answer. */
export interface Write<Answer> {
  readonly operation: Operation;
  readonly input: object;
  /** When the caller checked for the effect and did not see it; see `CallOptions`. */
  readonly checkedAt: number | undefined;
  /** Sends the request as often as is provably safe. */
  send(isResend: boolean, signal: AbortSignal): Promise<SendResult>;
  /** Looks for the effect with read requests. `isBeforeWrite`: nothing has been sent yet. */
  verify(isBeforeWrite: boolean, signal?: AbortSignal): Promise<Verification>;
  /** Parses the answer of a write that was applied. Throws the error of one that was not. */
  parse(result: AttemptResult): Answer;
  /** Compares the answer of a write that was applied with what was sent. */
  acceptedFields(result: AttemptResult): AcceptedFields;
  /** Its lines in the journal; undefined if there is none. */
  readonly record: WriteRecord | undefined;
  /** The answer for a record that verification found. */
  answerFrom(record: object | undefined): Answer;
}

interface WriteResult<Answer> {
  readonly answer: Answer;
  readonly note: WriteNote | undefined;
}

interface WritesOptions {
  unknownWrites: UnknownWrites;
  /** What identical writes on other replicas must know. */
  store: SharedStore;
  flights: SingleFlight;
  sleep: (milliseconds: number) => Promise<void>;
  /** Whether a create first looks for an identical record. */
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
export function createWrites({ unknownWrites, store, flights, sleep, preflight, maxWaitMs }: WritesOptions) {
  const pending = new Set<Promise<unknown>>();
  const recentWrites = createRecentWrites(store);

  /** Identical writes under way share one request. `signal` drops a write that was not sent; one that was sent finishes. */
  async function run<Answer>(write: Write<Answer>, signal: AbortSignal | undefined): Promise<WriteResult<Answer>> {
    const key = keyOfCall(write.operation, write.input);
    const work = (allLeft: AbortSignal) => {
      // Recorded before anything else can happen: the next identical write must know of this one.
      const running = alone(write, key, allLeft, () =>
        journaled(write, perform(write, key, allLeft)).finally(() => recentWrites.add(key)),
      );
      pending.add(running);
      return running.finally(() => pending.delete(running));
    };
    return await flights.run(key, work, signal);
  }

  /**
   * Runs a write while no other replica runs an identical one. The lock of a replica that died lasts until `lockMs` have
   * passed, and nothing tells whether it has sent its write.
   */
  async function alone<Answer, T>(
    { operation }: Write<Answer>,
    key: string,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    if (!store.isShared()) return await work();
    const lock = `running ${key}`;
    const until = performance.now() + maxWaitMs;
    while (!(await store.setIfAbsent(lock, 'running', lockMs))) {
      signal.throwIfAborted();
      if (performance.now() >= until) {
        throw notEndedElsewhereError(operation, (await store.get(lock))?.ttlMs ?? 0);
      }
      await sleep(lockPollMs);
    }
    return await work().finally(() => store.delete(lock));
  }

  async function perform<Answer>(write: Write<Answer>, key: string, signal: AbortSignal): Promise<WriteResult<Answer>> {
    if ((await unknownWrites.remaining(key)) > 0) return await verifyOnly(write, key);
    const isCreate = write.operation.repeat === 'creates';
    const before = isCreate ? await lookFirst(write, key, signal) : cannotTell;
    if (before.state === 'seen') return seen(write, before, alreadyThereNote(before));
    // An effect that was absent before and is there after comes from this write. For a create nothing else proves it.
    const isProof = !isCreate || before.state === 'not_seen';
    return await judge(write, await write.send(false, signal), { key, signal, isProof });
  }

  /** After an unknown outcome: an identical call sends nothing and only looks for the effect. */
  async function verifyOnly<Answer>(write: Write<Answer>, key: string): Promise<WriteResult<Answer>> {
    const verification = (await unknownWrites.isProof(key)) ? await verifyAfter(write) : cannotTell;
    if (verification.state !== 'seen') {
      throw unknownOutcomeError(write.operation, undefined, await unknownWrites.remaining(key));
    }
    await unknownWrites.release(key);
    const text = `an identical earlier call was applied, as ${verification.where} shows; nothing was sent now`;
    return seen(write, verification, { sent: false, text });
  }

  /** Before a create: is the record already there? A check by the caller counts until an identical create ends. */
  async function lookFirst<Answer>(write: Write<Answer>, key: string, signal: AbortSignal): Promise<Verification> {
    const { checkedAt } = write;
    if (checkedAt !== undefined && !(await recentWrites.isSince(key, checkedAt))) return notSeen;
    if (!preflight && checkedAt === undefined) return cannotTell;
    return await write.verify(true, signal).catch((error: unknown) => {
      // The API cannot show it, so only the write itself can tell. If the API is down, nothing is sent.
      if (error instanceof AcademyError && singleRecordErrors.has(error.code)) return cannotTell;
      throw error instanceof AcademyError ? nothingSentError(error) : error;
    });
  }

  async function judge<Answer>(
    write: Write<Answer>,
    { result, decision }: SendResult,
    progress: Progress,
  ): Promise<WriteResult<Answer>> {
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
      const again = await write.send(true, progress.signal).catch(() => undefined);
      // A refusal of the second request, or a failure to send it, says nothing about the first.
      if (again !== undefined && writeOutcomeOf(again.result, recordKeyOf(write.operation)) !== 'not_applied')
        return await judge(write, again, progress);
    }
    await unknownWrites.add(progress.key, progress.isProof);
    throw unknownOutcomeError(write.operation, result, await unknownWrites.remaining(progress.key));
  }

  /** The API may have written an answer with old values before it made the change, so reading back decides if it can. */
  async function checkAnswer<Answer>(
    write: Write<Answer>,
    result: AttemptResult,
    { isProof }: Progress,
  ): Promise<WriteResult<Answer>> {
    const answer = write.parse(result);
    const accepted = write.acceptedFields(result);
    const verification = accepted.outcome !== 'applied' && isProof ? await verifyRepeatedly(write, [0]) : cannotTell;
    if (verification.state !== 'seen') return { answer, note: noteOf(accepted) };
    const text = `the answer showed other values; reading back (${verification.where}) shows that it was done`;
    return seen(write, verification, { sent: true, text });
  }

  async function verifyRepeatedly<Answer>(write: Write<Answer>, pauses: readonly number[]): Promise<Verification> {
    let verification: Verification = cannotTell;
    for (const pause of pauses) {
      await sleep(pause);
      verification = await verifyAfter(write);
      if (verification.state === 'seen') return verification;
    }
    return verification;
  }

  return {
    run,
    /** Resolves when no write is under way. */
    settled: async (): Promise<void> => void (await Promise.allSettled(pending)),
  };
}

/** Writes the second line of the journal, also if no caller waits any more. */
async function journaled<Answer>(
  { record }: Write<Answer>,
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

/** A read that fails shows nothing. */
async function verifyAfter<Answer>(write: Write<Answer>): Promise<Verification> {
  return await write.verify(false).catch(() => cannotTell);
}

function seen<Answer>(write: Write<Answer>, { record }: SeenEffect, note: WriteNote): WriteResult<Answer> {
  return { answer: write.answerFrom(record), note };
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
export function alreadyThereNote({ where, found = 'an identical record', isIdentical = true }: SeenEffect): WriteNote {
  if (isIdentical)
    return { sent: false, isAlreadyThere: true, text: `${found} already existed, as ${where} shows; nothing was sent` };
  throw new AcademyError('not_applied', `${found} already exists, and may differ from the request; nothing was sent`, {
    hint: `Check it with ${where}. If it matches the request, nothing is left to do. To change it, use the update tool. To add another, use another name or title.`,
    outcome: 'not_applied',
  });
}
