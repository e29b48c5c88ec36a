import type { WriteNote } from '../../api/writes/write-outcome.ts';
import { enrollStudent } from '../../contract/access.ts';
import { type IdleStep, type Person, stepFor } from '../../insights/enrollment/plan.ts';
import { reasonOf } from '../../mcp/output/error-text.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError, type ErrorCode } from '../../shared/errors.ts';
import { type RetryTerms, retryWhenLimited } from '../batch.ts';
import { type GrantRequest, readHoldings, reportWaits } from './student-lookup.ts';

/**
 * `already_there`: they hold it. `skipped`: a second line for the same person. `doubtful`: left out, as it is not known.
 * `removed`, `already_gone`, `kept`: of a person who is not on the list.
 */
export type EnrollmentState =
  | 'applied'
  | 'already_there'
  | 'skipped'
  | 'doubtful'
  | 'failed'
  | 'unknown'
  | 'not_started'
  | 'removed'
  | 'already_gone'
  | 'kept';

export interface EnrollmentResult<State = EnrollmentState> {
  readonly state: State;
  readonly why?: string | undefined;
}

/** After these errors the next student would fail too; `rate_limited` comes after many waits. */
const stopsAll: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'forbidden', 'rate_limited', 'cancelled']);

type SentState = 'applied' | 'failed' | 'unknown' | 'not_started';

/** The result of a write that failed; `isLast` if the writes after it would fail too. */
function failureOf(error: unknown, isCancelled: boolean): EnrollmentResult<SentState> & { isLast: boolean } {
  const known = error instanceof AcademyError ? error : undefined;
  if (known === undefined && !isCancelled) throw error;
  const why = known === undefined ? 'cancelled' : reasonOf(known);
  if (isCancelled && known?.outcome !== 'outcome_unknown') return { state: 'not_started', why, isLast: true };
  const state = known?.outcome === 'outcome_unknown' ? 'unknown' : 'failed';
  return { state, why, isLast: known !== undefined && stopsAll.has(known.code) };
}

const idleStates = { skip: 'skipped', doubt: 'doubtful', refuse: 'failed' } as const;

export function withoutSending({ do: what, isHeld, why }: IdleStep): EnrollmentResult {
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
export async function enroll(
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
 * Makes changes one after the other, and returns a result for each. Stops between two of them if the call is cancelled or the
 * API refuses all requests; the remaining ones are `not_started`.
 */
export async function inTurn<Item, State>(
  items: readonly Item[],
  change: (item: Item, retryTerms: RetryTerms) => Promise<EnrollmentResult<State>>,
  context: ToolContext,
  what = 'students',
): Promise<EnrollmentResult<State | SentState>[]> {
  const { signal, progress } = context;
  const done: EnrollmentResult<State | SentState>[] = [];
  const retryTerms = reportWaits(context, () => done.length, items.length);
  let isStopped = false;

  async function resultOf(item: Item): Promise<EnrollmentResult<State | SentState>> {
    if (isStopped || signal.aborted) return { state: 'not_started' };
    try {
      return await retryWhenLimited(() => change(item, retryTerms), retryTerms);
    } catch (error) {
      const { isLast, ...result } = failureOf(error, signal.aborted);
      isStopped = isLast;
      return result;
    }
  }

  for (const item of items) {
    done.push(await resultOf(item));
    progress(done.length, items.length, `${done.length} of ${items.length} ${what}`);
  }
  return done;
}
