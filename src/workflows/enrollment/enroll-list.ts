import type { WriteNote } from '../../api/writes/write-note.ts';
import { enrollStudent } from '../../contract/access.ts';
import { type IdleStep, linesOf, type Person, stepFor, stepOfDouble } from '../../insights/enrollment/plan.ts';
import { reasonOf } from '../../mcp/output/error-text.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError, type ErrorCode } from '../../shared/errors.ts';
import { type RetryTerms, retryWhenLimited } from '../retry-when-limited.ts';
import { type AskedGrant, lookUp, waitTeller } from './student-lookup.ts';

/** `already_there`: they hold it. `skipped`: a second line of the same person. `doubtful`: left out, as it cannot be told. */
export type EnrollmentState =
  | 'applied'
  | 'already_there'
  | 'skipped'
  | 'doubtful'
  | 'failed'
  | 'unknown'
  | 'not_started';

/** What became of one person. */
interface EnrollmentResult {
  readonly state: EnrollmentState;
  readonly why?: string | undefined;
}

export interface Enrollment extends EnrollmentResult {
  readonly email: string;
}

/** After these the next student would fare no better; `rate_limited` comes after many waits. */
const endsAll: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'forbidden', 'rate_limited', 'cancelled']);

function failureOf(error: unknown, isCancelled: boolean): EnrollmentResult & { isLast: boolean } {
  const known = error instanceof AcademyError ? error : undefined;
  if (known === undefined && !isCancelled) throw error;
  const why = known === undefined ? 'cancelled' : reasonOf(known);
  if (isCancelled && known?.outcome !== 'outcome_unknown') return { state: 'not_started', why, isLast: true };
  const state = known?.outcome === 'outcome_unknown' ? 'unknown' : 'failed';
  return { state, why, isLast: known !== undefined && endsAll.has(known.code) };
}

const idleStates = { skip: 'skipped', doubt: 'doubtful', refuse: 'failed' } as const;

function withoutSending({ do: what, isHeld, why }: IdleStep): EnrollmentResult {
  return { state: isHeld ? 'already_there' : idleStates[what], why };
}

const stateOf = { applied: 'applied', not_applied: 'failed', outcome_unknown: 'unknown' } as const;

/** What the API shows counts for more than that it answered without an error. */
function shownResult(note: WriteNote | undefined): EnrollmentResult {
  if (note?.taken === undefined) return { state: 'applied' };
  return { state: stateOf[note.taken.outcome], why: note.text };
}

/** What a whole list is to be given. */
export interface ListGrant extends AskedGrant {
  /** Also to whom it may be that they hold it. */
  readonly includesDoubtful: boolean;
}

/** Gives one person what they lack at this moment: what a plan saw minutes ago may no longer be so. */
async function enroll(
  person: Person,
  asked: ListGrant,
  context: ToolContext,
  patience: RetryTerms,
): Promise<EnrollmentResult> {
  const beginning = performance.now();
  const { isCertain, ...holdings } = await lookUp(person, asked, context, patience);
  const step = stepFor(person, asked.grant, holdings, asked.includesDoubtful);
  if (step.do !== 'enroll') return withoutSending(step);
  const notes: WriteNote[] = [];
  const onNote = (note: WriteNote) => void notes.push(note);
  const lookedAt = isCertain ? beginning : undefined;
  await context.api.call(enrollStudent, { ...step.person, ...step.grant }, { onNote, lookedAt });
  if (notes.some(({ sent }) => !sent)) return { state: 'already_there', why: 'was granted it a moment ago' };
  return shownResult(notes.find(({ taken }) => taken !== undefined));
}

/**
 * Enrolls one after the other by the same way as enroll_student, and tells of each. Ends between two students when the
 * call is cancelled, or when the API refuses us altogether; who was not reached is `not_started`.
 */
export async function enrollEach(
  people: readonly Person[],
  asked: ListGrant,
  context: ToolContext,
): Promise<Enrollment[]> {
  const { signal, progress } = context;
  const lines = linesOf(people);
  const done: Enrollment[] = [];
  const patience = waitTeller(context, () => done.length, lines.length);
  let isOver = false;

  async function resultOf(person: Person): Promise<EnrollmentResult> {
    if (isOver || signal.aborted) return { state: 'not_started' };
    try {
      return await retryWhenLimited(() => enroll(person, asked, context, patience), patience);
    } catch (error) {
      const { isLast, ...result } = failureOf(error, signal.aborted);
      isOver = isLast;
      return result;
    }
  }

  for (const { person, isDouble } of lines) {
    const result = isDouble ? withoutSending(stepOfDouble(person)) : await resultOf(person);
    done.push({ email: person.email, ...result });
    progress(done.length, lines.length, `${done.length} of ${lines.length} students`);
  }
  return done;
}
