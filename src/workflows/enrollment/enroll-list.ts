import type { WriteNote } from '../../api/writes/write-outcome.ts';
import { enrollStudent } from '../../contract/access.ts';
import { type IdleStep, linesOf, type Person, stepFor, stepForDuplicate } from '../../insights/enrollment/plan.ts';
import { reasonOf } from '../../mcp/output/error-text.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError, type ErrorCode } from '../../shared/errors.ts';
import { type RetryTerms, retryWhenLimited } from '../retry-when-limited.ts';
import { type GrantRequest, readHoldings, reportWaits } from './student-lookup.ts';

/** `already_there`: they hold it. `skipped`: a second line for the same person. `doubtful`: left out, as it is not known. */
export type EnrollmentState =
  | 'applied'
  | 'already_there'
  | 'skipped'
  | 'doubtful'
  | 'failed'
  | 'unknown'
  | 'not_started';

/** The result for one person. */
interface EnrollmentResult<State = EnrollmentState> {
  readonly state: State;
  readonly why?: string | undefined;
}

export interface Enrollment extends EnrollmentResult {
  readonly email: string;
}

/** After these errors the next student would fail too; `rate_limited` comes after many waits. */
const stopsAll: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'forbidden', 'rate_limited', 'cancelled']);

type SentState = 'applied' | 'failed' | 'unknown' | 'not_started';

/** The result of a write that failed; `isLast` if the writes after it would fail too. */
export function failureOf(error: unknown, isCancelled: boolean): EnrollmentResult<SentState> & { isLast: boolean } {
  const known = error instanceof AcademyError ? error : undefined;
  if (known === undefined && !isCancelled) throw error;
  const why = known === undefined ? 'cancelled' : reasonOf(known);
  if (isCancelled && known?.outcome !== 'outcome_unknown') return { state: 'not_started', why, isLast: true };
  const state = known?.outcome === 'outcome_unknown' ? 'unknown' : 'failed';
  return { state, why, isLast: known !== undefined && stopsAll.has(known.code) };
}

const idleStates = { skip: 'skipped', doubt: 'doubtful', refuse: 'failed' } as const;

function withoutSending({ do: what, isHeld, why }: IdleStep): EnrollmentResult {
  return { state: isHeld ? 'already_there' : idleStates[what], why };
}

const stateOf = { applied: 'applied', not_applied: 'failed', outcome_unknown: 'unknown' } as const;

/** What the API shows afterwards counts more than a response without an error. */
export function resultFromNote(note: WriteNote | undefined): EnrollmentResult<SentState> {
  if (note?.acceptedFields === undefined) return { state: 'applied' };
  return { state: stateOf[note.acceptedFields.outcome], why: note.text };
}

export interface BulkGrantRequest extends GrantRequest {
  /** Enroll people too if it is not known whether they hold it. */
  readonly includesDoubtful: boolean;
}

/** Grants one person what they lack now: a plan made minutes ago may be outdated. */
async function enroll(
  person: Person,
  request: BulkGrantRequest,
  context: ToolContext,
  retryTerms: RetryTerms,
): Promise<EnrollmentResult> {
  const startedAt = performance.now();
  const { isCertain, ...holdings } = await readHoldings(person, request, context, retryTerms);
  const step = stepFor(person, request.grant, holdings, request.includesDoubtful);
  if (step.do !== 'enroll') return withoutSending(step);
  const notes: WriteNote[] = [];
  const onNote = (note: WriteNote) => void notes.push(note);
  const checkedAt = isCertain ? startedAt : undefined;
  const journal = isCertain ? { old: { values: { held: false } } } : {};
  await context.api.call(enrollStudent, { ...step.person, ...step.grant }, { onNote, checkedAt, journal });
  if (notes.some(({ sent }) => !sent)) return { state: 'already_there', why: 'it was granted a moment ago' };
  return resultFromNote(notes.find(({ acceptedFields }) => acceptedFields !== undefined));
}

/**
 * Enrolls people one after the other, as enroll_student does, and returns a result for each. Stops between two students if the
 * call is cancelled or the API refuses all requests; the remaining people are `not_started`.
 */
export async function enrollList(
  people: readonly Person[],
  request: BulkGrantRequest,
  context: ToolContext,
): Promise<Enrollment[]> {
  const { signal, progress } = context;
  const lines = linesOf(people);
  const done: Enrollment[] = [];
  const retryTerms = reportWaits(context, () => done.length, lines.length);
  let isStopped = false;

  async function resultOf(person: Person): Promise<EnrollmentResult> {
    if (isStopped || signal.aborted) return { state: 'not_started' };
    try {
      return await retryWhenLimited(() => enroll(person, request, context, retryTerms), retryTerms);
    } catch (error) {
      const { isLast, ...result } = failureOf(error, signal.aborted);
      isStopped = isLast;
      return result;
    }
  }

  for (const { person, isDuplicate } of lines) {
    const result = isDuplicate ? withoutSending(stepForDuplicate(person)) : await resultOf(person);
    done.push({ email: person.email, ...result });
    progress(done.length, lines.length, `${done.length} of ${lines.length} students`);
  }
  return done;
}
