import type { Api, CallOptions } from '../../api/api.ts';
import type { WriteNote } from '../../api/writes/write-outcome.ts';
import { revokeBundle, revokeCourse, revokeRole, unenrollStudent } from '../../contract/access.ts';
import type { Fate, Person } from '../../insights/enrollment/plan.ts';
import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import { accessBefore, type OffboardingStep } from '../../insights/students/order-losses.ts';
import { reasonOf } from '../../mcp/output/error-text.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError, type ErrorCode } from '../../shared/errors.ts';
import { retryWhenLimited } from '../batch.ts';
import { reportWaits } from './student-lookup.ts';

/** After these errors the next write would fail too; `rate_limited` comes after many waits. */
const stopsAll: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'forbidden', 'rate_limited', 'cancelled']);

/** The result of a write that failed; `isLast` if the writes after it would fail too. */
function failureOf(error: unknown, isCancelled: boolean): Fate & { isLast: boolean } {
  const known = error instanceof AcademyError ? error : undefined;
  if (known === undefined && !isCancelled) throw error;
  const why = known === undefined ? 'cancelled' : reasonOf(known);
  if (isCancelled && known?.outcome !== 'outcome_unknown') return { state: 'not_started', why, isLast: true };
  const state = known?.outcome === 'outcome_unknown' ? 'unknown' : 'failed';
  return { state, why, isLast: known !== undefined && stopsAll.has(known.code) };
}

/**
 * Makes changes one after the other, and returns what became of each. Stops between two of them if the call is cancelled or the
 * API refuses all requests; the remaining ones are `not_started`.
 */
export async function inTurn<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<Fate>,
  context: ToolContext,
  what = 'students',
): Promise<Fate[]> {
  const { signal, progress } = context;
  const done: Fate[] = [];
  let isStopped = false;

  async function resultOf(item: Item): Promise<Fate> {
    if (isStopped || signal.aborted) return { state: 'not_started' };
    try {
      return await retryWhenLimited(() => change(item), reportWaits(context, items.length));
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

const states = { applied: 'applied', not_applied: 'failed', outcome_unknown: 'unknown' } as const;

/** What the API shows afterwards counts more than a response without an error. */
export function fateFrom(notes: readonly WriteNote[]): Fate {
  const note = notes.find(({ acceptedFields }) => acceptedFields !== undefined);
  return note?.acceptedFields === undefined
    ? { state: 'applied' }
    : { state: states[note.acceptedFields.outcome], why: note.text };
}

/** Takes one thing from a student. `orders`: theirs, before it. */
export async function take(
  { tool, id = 0 }: OffboardingStep,
  { email, name = '' }: Person,
  orders: readonly SoldOrder[],
  api: Api,
): Promise<Fate> {
  const notes: WriteNote[] = [];
  const options: CallOptions = { onNote: (note) => void notes.push(note) };
  const taking = (kind: 'course' | 'bundle') => ({ ...options, journal: { old: accessBefore(orders, kind, id) } });
  const writes = {
    revoke_bundle: () => api.call(revokeBundle, { email, bundle_id: id }, taking('bundle')),
    revoke_course: () => api.call(revokeCourse, { email, name, course_id: id }, taking('course')),
    revoke_role: () => api.call(revokeRole, { email, role_id: id }, options),
    unenroll_student: () => api.call(unenrollStudent, { email, name }, options),
  };
  await writes[tool]();
  return fateFrom(notes);
}
