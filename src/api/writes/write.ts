import type { ResponseSchema } from '../../contract/schemas/response.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Outcome } from '../http/attempt-result.ts';
import type { Sent } from '../send-with-retries.ts';
import type { SingleFlight } from '../single-flight.ts';
import { createRecentWrites } from './recent-writes.ts';
import type { UnknownWrites } from './unknown-writes.ts';
import { keyOfCall } from './unknown-writes.ts';
import type { Verification } from './verify/verifier.ts';
import { noteOf, type WriteNote } from './write-note.ts';
import { recordKeyOf, writeOutcomeOf } from './write-outcome.ts';
import {
  already,
  type Begun,
  beforeSending,
  refusals,
  type Seen,
  type WriteResult,
  type WriteSteps,
} from './write-steps.ts';

export interface WritesOptions {
  unknownWrites: UnknownWrites;
  flights: SingleFlight;
  sleep: (milliseconds: number) => Promise<void>;
  /** Whether a create first looks for an equal record. */
  preflight: boolean;
}

/** Pauses before each look for a write of unknown outcome, in milliseconds: it may be applied late. */
const looks = [2_000, 3_000, 10_000];
/** A write that may be repeated is looked for sooner: the old value is reason enough to send it again. */
const looksBeforeRepeat = [500];

/**
 * Sees to it that no write is doubled, lost or misreported: equal ones in flight are one, a create looks first whether
 * it is there already, and one of unknown outcome is looked for, never guessed and never repeated blindly. Below, the steps
 * of a write stand in the order in which it takes them.
 */
export function createWrites({ unknownWrites, flights, sleep, preflight }: WritesOptions) {
  const pending = new Set<Promise<unknown>>();
  const recentWrites = createRecentWrites();

  /** A caller may leave by `signal`: what was not sent yet is dropped then, what was sent is finished all the same. */
  async function run<A extends ResponseSchema>(
    steps: WriteSteps<A>,
    signal: AbortSignal | undefined,
  ): Promise<WriteResult<A>> {
    const key = keyOfCall(steps.operation, steps.input);
    const work = (allLeft: AbortSignal) => {
      const performing = perform(steps, key, allLeft);
      pending.add(performing);
      return performing.finally(() => {
        pending.delete(performing);
        recentWrites.add(key);
      });
    };
    return await flights.run(key, work, signal);
  }

  async function perform<A extends ResponseSchema>(
    steps: WriteSteps<A>,
    key: string,
    signal: AbortSignal,
  ): Promise<WriteResult<A>> {
    if (unknownWrites.remaining(key) > 0) return await verifyOnly(steps, key);
    const isCreate = steps.operation.repeat === 'creates';
    const before: Verification = isCreate ? await verificationBefore(steps, key, signal) : { state: 'cannot_tell' };
    if (before.state === 'seen') return seen(steps, before, already(before));
    // What was not there before, and is after, came of this write. For a create nothing else proves it.
    const isProof = !isCreate || before.state === 'not_seen';
    return await settle(steps, await steps.send(false, signal), { key, signal, isProof });
  }

  async function verifyOnly<A extends ResponseSchema>(steps: WriteSteps<A>, key: string): Promise<WriteResult<A>> {
    // A look that fails shows nothing, too.
    const look = (): Promise<Verification> => steps.look(false).catch((): Verification => ({ state: 'cannot_tell' }));
    const verification: Verification = unknownWrites.isProof(key) ? await look() : { state: 'cannot_tell' };
    if (verification.state !== 'seen') throw steps.unknown(undefined, unknownWrites.remaining(key));
    unknownWrites.release(key);
    const text = `an equal call before had worked, as ${verification.where} shows; nothing was sent now`;
    return seen(steps, verification, { sent: false, text });
  }

  /** What is known before a create. What its caller has seen counts only as long as no equal one came between. */
  async function verificationBefore<A extends ResponseSchema>(
    steps: WriteSteps<A>,
    key: string,
    signal: AbortSignal,
  ): Promise<Verification> {
    const { lookedAt } = steps;
    if (lookedAt !== undefined && !recentWrites.isSince(key, lookedAt)) return { state: 'not_seen' };
    return preflight || lookedAt !== undefined ? await lookBefore(steps, signal) : { state: 'cannot_tell' };
  }

  /** Looks before anything is sent. Where the API cannot show it, the write itself will tell; where it is down, nothing is sent. */
  async function lookBefore<A extends ResponseSchema>(
    steps: WriteSteps<A>,
    signal: AbortSignal,
  ): Promise<Verification> {
    return await steps.look(true, signal).catch((error: unknown): Verification => {
      if (error instanceof AcademyError && refusals.has(error.code)) return { state: 'cannot_tell' };
      throw error instanceof AcademyError ? beforeSending(error) : error;
    });
  }

  async function settle<A extends ResponseSchema>(
    steps: WriteSteps<A>,
    sent: Sent,
    write: Begun,
  ): Promise<WriteResult<A>> {
    const { outcome, decision } = sent;
    if (decision.next === 'settled') return await readSettled(steps, outcome, write);
    const pauses = decision.mayRepeat ? looksBeforeRepeat : looks;
    const verification: Verification = write.isProof ? await lookSeveralTimes(steps, pauses) : { state: 'cannot_tell' };
    if (verification.state === 'seen') {
      const text = `${'status' in outcome ? 'the answer proved nothing' : 'the answer was lost'}; reading back (${verification.where}) shows that it was done`;
      return seen(steps, verification, { sent: true, text });
    }
    if (decision.mayRepeat && verification.state === 'not_seen') {
      // The old value is still there, and doing it twice leaves the same state as doing it once.
      const again = await steps.send(true, write.signal).catch(() => undefined);
      // That the second was refused or not sent says nothing of the first.
      if (again !== undefined && writeOutcomeOf(again.outcome, recordKeyOf(steps.operation)) !== 'not_applied')
        return await settle(steps, again, write);
    }
    unknownWrites.add(write.key, write.isProof);
    throw steps.unknown(outcome, unknownWrites.remaining(write.key));
  }

  /** An answer with the old values may have been made before the change: a look decides, where the API shows it. */
  async function readSettled<A extends ResponseSchema>(
    steps: WriteSteps<A>,
    outcome: Outcome,
    { isProof }: Begun,
  ): Promise<WriteResult<A>> {
    const answer = steps.read(outcome);
    const taken = steps.taken(outcome);
    const isDoubted = taken.outcome !== 'applied' && isProof;
    const verification: Verification = isDoubted ? await lookSeveralTimes(steps, [0]) : { state: 'cannot_tell' };
    if (verification.state !== 'seen') return { answer, note: noteOf(taken) };
    const text = `the answer showed other values; reading back (${verification.where}) shows that it was done`;
    return seen(steps, verification, { sent: true, text });
  }

  async function lookSeveralTimes<A extends ResponseSchema>(
    steps: WriteSteps<A>,
    pauses: readonly number[],
  ): Promise<Verification> {
    let verification: Verification = { state: 'cannot_tell' };
    for (const pause of pauses) {
      await sleep(pause);
      // A look that fails shows nothing; the next one may.
      verification = await steps.look(false).catch((): Verification => ({ state: 'cannot_tell' }));
      if (verification.state === 'seen') return verification;
    }
    return verification;
  }

  function seen<A extends ResponseSchema>(steps: WriteSteps<A>, verification: Seen, note: WriteNote): WriteResult<A> {
    return { answer: steps.found(verification.record), note };
  }

  return {
    run,
    /** Resolves when no write is under way. */
    settled: async (): Promise<void> => void (await Promise.allSettled(pending)),
  };
}
