import type { Api, CallOptions } from '../../api/api.ts';
import type { WriteNote } from '../../api/writes/write-outcome.ts';
import { revokeBundle, revokeCourse, revokeRole, unenrollStudent } from '../../contract/access.ts';
import type { Fate, Person } from '../../insights/enrollment/plan.ts';
import { untitled } from '../../insights/sales/products-in-order.ts';
import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import { accessBefore, type OffboardingStep } from '../../insights/students/order-losses.ts';
import { reasonOf } from '../../mcp/output/error-text.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { AcademyError, type ErrorCode } from '../../shared/errors.ts';
import { retryWhenLimited } from '../batch.ts';

/** After these errors the next write would fail too; `rate_limited` comes after many waits. */
const stopsAll: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'forbidden', 'rate_limited', 'cancelled']);

/** What became of a write that failed. Rethrows internal errors. */
export function failureOf(error: unknown): Fate {
  if (!(error instanceof AcademyError)) throw error;
  return { state: error.outcome === 'outcome_unknown' ? 'unknown' : 'failed', why: reasonOf(error) };
}

/** Makes changes one after the other. Stops if the call is cancelled or the API refuses all requests: the rest is `not_started`. */
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
      return await retryWhenLimited(() => change(item), context, items.length);
    } catch (error) {
      isStopped = error instanceof AcademyError && stopsAll.has(error.code);
      if (signal.aborted && !(error instanceof AcademyError)) return { state: 'not_started', why: 'cancelled' };
      const fate = failureOf(error);
      return signal.aborted && fate.state === 'failed' ? { ...fate, state: 'not_started' } : fate;
    }
  }

  for (const item of items) {
    done.push(await resultOf(item));
    progress(done.length, items.length, `${done.length} of ${items.length} ${what}`);
  }
  return done;
}

const states = { applied: 'applied', not_applied: 'failed', outcome_unknown: 'unknown' } as const;

/** Sends a write, and returns what became of it: what the API shows afterwards counts more than a response without an error. */
export async function fateOf(
  send: (options: CallOptions) => Promise<unknown>,
): Promise<Fate & { readonly isSent: boolean }> {
  const notes: WriteNote[] = [];
  await send({ onNote: (note) => void notes.push(note) });
  const isSent = notes.every(({ sent }) => sent);
  const note = notes.find(({ acceptedFields }) => acceptedFields !== undefined);
  if (note?.acceptedFields === undefined) return { state: 'applied', isSent };
  return { state: states[note.acceptedFields.outcome], why: note.text, isSent };
}

/** Takes one thing from a student. `orders`: theirs, before it. */
export async function take(
  { tool, id = 0 }: OffboardingStep,
  { email, name = '' }: Person,
  orders: readonly SoldOrder[],
  api: Api,
): Promise<Fate> {
  const taking = (kind: 'course' | 'bundle') => ({ journal: { old: accessBefore(orders, untitled(kind, id)) } });
  const writes = {
    revoke_bundle: (own: CallOptions) =>
      api.call(revokeBundle, { email, bundle_id: id }, { ...own, ...taking('bundle') }),
    revoke_course: (own: CallOptions) =>
      api.call(revokeCourse, { email, name, course_id: id }, { ...own, ...taking('course') }),
    revoke_role: (own: CallOptions) => api.call(revokeRole, { email, role_id: id }, own),
    unenroll_student: (own: CallOptions) => api.call(unenrollStudent, { email, name }, own),
  };
  return await fateOf(writes[tool]);
}
