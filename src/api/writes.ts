import type { Answer, ParsedAnswer } from '../contract/answer.ts';
import type { Operation } from '../contract/operation.ts';
import { AcademyError, type ErrorCode } from '../errors.ts';
import type { Outcome } from './outcome.ts';
import { keyOfCall, type Quarantine } from './quarantine.ts';
import type { Sent } from './sender.ts';
import type { SingleFlight } from './single-flight.ts';
import { verdictOf } from './verdict.ts';
import type { Sight } from './witness/witness.ts';

export interface WriteResult<A extends Answer> {
  answer: ParsedAnswer<A>;
  /** How the write came to be `applied`, where it was not simply answered so. */
  note: string | undefined;
}

/** One write, as the client sees it: each step is a function, so that their order can be read here alone. */
export interface WriteSteps<A extends Answer> {
  operation: Operation;
  input: object;
  /** Sends as often as is provably safe. */
  send(isRepeat: boolean, signal: AbortSignal): Promise<Sent>;
  /** Looks for the effect by read requests. */
  look(beforehand: boolean): Promise<Sight>;
  /** Reads the answer of a write that was applied; throws the error of one that was not. */
  read(outcome: Outcome): ParsedAnswer<A>;
  /** What is known of a record that was found by looking. */
  found(record: object | undefined): ParsedAnswer<A>;
  /** The error of a write of which nothing is known; `blockedMs` is how long an equal call will only verify. */
  unknown(outcome: Outcome | undefined, blockedMs: number): AcademyError;
}

export interface WritesOptions {
  quarantine: Quarantine;
  flights: SingleFlight;
  sleep: (milliseconds: number) => Promise<void>;
  /** Whether a create first looks for an equal record. */
  preflight: boolean;
}

/** Pauses before each look for a write of unknown outcome, in milliseconds: it may be applied late. */
const looks = [2_000, 3_000, 10_000];
/** A write that may be repeated is looked for sooner: the old value is reason enough to send it again. */
const looksBeforeRepeat = [500];

/** The API answered, but not with what was to be looked at. */
const refusals: ReadonlySet<ErrorCode> = new Set([
  'forbidden',
  'not_found',
  'unprocessable',
  'invalid_fields',
  'unexpected_response',
]);

/** A read that failed before its write was sent: of the write it is known that it was not done. */
function beforeSending(error: AcademyError): AcademyError {
  const { code, message, hint } = error;
  return new AcademyError(code, `${message}; nothing was changed`, { hint, outcome: 'not_applied', cause: error });
}

type Seen = Extract<Sight, { state: 'seen' }>;

/**
 * Sees to it that no write is doubled, lost or misreported: equal ones in flight are one, a create looks first whether
 * it is there already, and one of unknown outcome is looked for, never guessed and never repeated blindly.
 */
export function createWrites({ quarantine, flights, sleep, preflight }: WritesOptions) {
  const pending = new Set<Promise<unknown>>();

  async function lookSeveralTimes<A extends Answer>(steps: WriteSteps<A>, pauses: readonly number[]): Promise<Sight> {
    let sight: Sight = { state: 'cannot_tell' };
    for (const pause of pauses) {
      await sleep(pause);
      // A look that fails shows nothing; the next one may.
      sight = await steps.look(false).catch((): Sight => ({ state: 'cannot_tell' }));
      if (sight.state === 'seen') return sight;
    }
    return sight;
  }

  function seen<A extends Answer>(steps: WriteSteps<A>, sight: Seen, note: string): WriteResult<A> {
    return { answer: steps.found(sight.record), note };
  }

  async function settle<A extends Answer>(
    steps: WriteSteps<A>,
    key: string,
    sent: Sent,
    signal: AbortSignal,
  ): Promise<WriteResult<A>> {
    const { outcome, decision } = sent;
    if (decision.next === 'settled') return { answer: steps.read(outcome), note: undefined };
    const sight = await lookSeveralTimes(steps, decision.mayRepeat ? looksBeforeRepeat : looks);
    if (sight.state === 'seen') {
      return seen(steps, sight, `the answer was lost; reading back (${sight.where}) shows that it was done`);
    }
    if (decision.mayRepeat && sight.state === 'not_seen') {
      // The old value is still there, and doing it twice leaves the same state as doing it once.
      const again = await steps.send(true, signal).catch(() => undefined);
      // That the second was refused or not sent says nothing of the first.
      if (again !== undefined && verdictOf(again.outcome) !== 'not_applied')
        return await settle(steps, key, again, signal);
    }
    quarantine.add(key);
    throw steps.unknown(outcome, quarantine.remaining(key));
  }

  async function verifyOnly<A extends Answer>(steps: WriteSteps<A>, key: string): Promise<WriteResult<A>> {
    const sight = await steps.look(false);
    if (sight.state !== 'seen') throw steps.unknown(undefined, quarantine.remaining(key));
    quarantine.release(key);
    return seen(steps, sight, `an equal call before had worked, as ${sight.where} shows; nothing was sent now`);
  }

  /** Looks before anything is sent. Where the API cannot show it, the write itself will tell; where it is down, nothing is sent. */
  async function lookBefore<A extends Answer>(steps: WriteSteps<A>): Promise<Sight> {
    return await steps.look(true).catch((error: unknown): Sight => {
      if (error instanceof AcademyError && refusals.has(error.code)) return { state: 'cannot_tell' };
      throw error instanceof AcademyError ? beforeSending(error) : error;
    });
  }

  async function perform<A extends Answer>(
    steps: WriteSteps<A>,
    key: string,
    signal: AbortSignal,
  ): Promise<WriteResult<A>> {
    if (quarantine.remaining(key) > 0) return await verifyOnly(steps, key);
    if (preflight && steps.operation.repeat === 'creates') {
      const sight = await lookBefore(steps);
      if (sight.state === 'seen')
        return seen(steps, sight, `it was there already, as ${sight.where} shows; nothing was sent`);
    }
    return await settle(steps, key, await steps.send(false, signal), signal);
  }

  return {
    /** A caller may leave by `signal`: what was not sent yet is dropped then, what was sent is finished all the same. */
    run: async <A extends Answer>(steps: WriteSteps<A>, signal: AbortSignal | undefined): Promise<WriteResult<A>> => {
      const key = keyOfCall(steps.operation, steps.input);
      const work = (allLeft: AbortSignal) => {
        const performing = perform(steps, key, allLeft);
        pending.add(performing);
        return performing.finally(() => pending.delete(performing));
      };
      return await flights.run(key, work, signal);
    },
    /** Resolves when no write is under way. */
    settled: async (): Promise<void> => void (await Promise.allSettled(pending)),
  };
}
