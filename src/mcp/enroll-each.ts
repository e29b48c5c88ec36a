import { type Patience, patiently } from '../api/patiently.ts';
import type { WriteNote } from '../api/write-steps.ts';
import { enrollStudent } from '../contract/access.ts';
import { AcademyError, type ErrorCode } from '../errors.ts';
import { type IdleStep, linesOf, type Person, stepFor, stepOfDouble } from '../insights/enrolment.ts';
import { reasonOf } from './error-text.ts';
import { type AskedGrant, lookUp, waitTeller } from './roster.ts';
import type { ToolContext } from './tool.ts';

/** `already_there`: they hold it. `skipped`: a second line of the same person. `doubtful`: left out, as it cannot be told. */
export type EnrolmentState =
  | 'applied'
  | 'already_there'
  | 'skipped'
  | 'doubtful'
  | 'failed'
  | 'unknown'
  | 'not_started';

/** What became of one person. */
interface Fate {
  readonly state: EnrolmentState;
  readonly why?: string | undefined;
}

export interface Enrolment extends Fate {
  readonly email: string;
}

/** After these the next student would fare no better; `rate_limited` comes after many waits. */
const endsAll: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'forbidden', 'rate_limited', 'cancelled']);

function failureOf(error: unknown, isCancelled: boolean): Fate & { isLast: boolean } {
  const known = error instanceof AcademyError ? error : undefined;
  if (known === undefined && !isCancelled) throw error;
  const why = known === undefined ? 'cancelled' : reasonOf(known);
  if (isCancelled && known?.outcome !== 'outcome_unknown') return { state: 'not_started', why, isLast: true };
  const state = known?.outcome === 'outcome_unknown' ? 'unknown' : 'failed';
  return { state, why, isLast: known !== undefined && endsAll.has(known.code) };
}

const idleStates = { skip: 'skipped', doubt: 'doubtful', refuse: 'failed' } as const;

function withoutSending({ do: what, isHeld, why }: IdleStep): Fate {
  return { state: isHeld ? 'already_there' : idleStates[what], why };
}

const stateOf = { applied: 'applied', not_applied: 'failed', outcome_unknown: 'unknown' } as const;

/** What the API shows counts for more than that it answered without an error. */
function shownFate(note: WriteNote | undefined): Fate {
  if (note?.taken === undefined) return { state: 'applied' };
  return { state: stateOf[note.taken.outcome], why: note.text };
}

/** What a whole list is to be given. */
export interface ListGrant extends AskedGrant {
  /** Also to whom it may be that they hold it. */
  readonly includesDoubtful: boolean;
}

/** Gives one person what they lack at this moment: what a plan saw minutes ago may no longer be so. */
async function enroll(person: Person, asked: ListGrant, context: ToolContext, patience: Patience): Promise<Fate> {
  const beginning = performance.now();
  const { isCertain, ...standing } = await lookUp(person, asked, context, patience);
  const step = stepFor(person, asked.grant, standing, asked.includesDoubtful);
  if (step.do !== 'enroll') return withoutSending(step);
  const notes: WriteNote[] = [];
  const onNote = (note: WriteNote) => void notes.push(note);
  const lookedAt = isCertain ? beginning : undefined;
  await context.api.call(enrollStudent, { ...step.person, ...step.grant }, { onNote, lookedAt });
  if (notes.some(({ sent }) => !sent)) return { state: 'already_there', why: 'was granted it a moment ago' };
  return shownFate(notes.find(({ taken }) => taken !== undefined));
}

/**
 * Enrolls one after the other by the same way as enroll_student, and tells of each. Ends between two students when the
 * call is cancelled, or when the API refuses us altogether; who was not reached is `not_started`.
 */
export async function enrollEach(
  people: readonly Person[],
  asked: ListGrant,
  context: ToolContext,
): Promise<Enrolment[]> {
  const { signal, progress } = context;
  const lines = linesOf(people);
  const done: Enrolment[] = [];
  const patience = waitTeller(context, () => done.length, lines.length);
  let isOver = false;

  async function fateOf(person: Person): Promise<Fate> {
    if (isOver || signal.aborted) return { state: 'not_started' };
    try {
      return await patiently(() => enroll(person, asked, context, patience), patience);
    } catch (error) {
      const { isLast, ...fate } = failureOf(error, signal.aborted);
      isOver = isLast;
      return fate;
    }
  }

  for (const { person, isDouble } of lines) {
    const fate = isDouble ? withoutSending(stepOfDouble(person)) : await fateOf(person);
    done.push({ email: person.email, ...fate });
    progress(done.length, lines.length, `${done.length} of ${lines.length} students`);
  }
  return done;
}
