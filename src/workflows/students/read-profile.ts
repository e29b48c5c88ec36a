import { readStudentOrders, type StudentOrders } from '../../api/student-orders.ts';
import { soldOrder } from '../../insights/sales/sold-order.ts';
import { coursesInDetails } from '../../insights/students/courses-in-details.ts';
import { type Holding, holdingsOf } from '../../insights/students/holdings.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { statusFilterState } from '../scan-store.ts';
import { type Completions, dropFractions, type Refusals, readCompletions } from './completion-batch.ts';
import { type EndedAccess, readEndedAccess } from './ended-access.ts';
import { ordersProblem } from './orders-problem.ts';
import { statusFilterProblem } from './status-filter.ts';

export interface ProfileReading extends StudentOrders {
  readonly holdings: readonly Holding[];
  readonly completions: Completions;
  readonly refusals: Refusals;
  /** Why reading the progress ended early, other than for lack of requests. */
  readonly stopped: string | undefined;
  readonly ended: EndedAccess;
}

async function readProgress(email: string, holdings: readonly Holding[], left: () => number, context: ToolContext) {
  const { api, spent, progress } = context;
  const questions = holdings.flatMap(({ kind, id }) => (kind === 'course' ? [{ course_id: id, email }] : []));
  const read: Completions = new Map();
  const refusals: Refusals = new Map();
  const before = spent();
  const onProgress = (done: number, total: number) =>
    progress(before + done, before + total, `read the progress in ${done} of ${total} courses`);
  const { stopped } = await readCompletions(questions, read, { api, left, progress: onProgress, refusals });
  return { completions: dropFractions(read, refusals), refusals, stopped };
}

/** Reads a student's details and orders, what they hold, their progress in each course and whether access to it ended. Throws `not_found`. */
export async function readProfile(email: string, maxRequests: number, context: ToolContext): Promise<ProfileReading> {
  const { api, stores, spent, progress } = context;
  const left = () => maxRequests - spent();
  const onPage = (done: number, total: number) =>
    progress(done, total, `read ${done} of ${total} or more pages of orders`);
  const known = await readStudentOrders(api, email, { ordersAlone: true, partly: true, left, progress: onPage });
  const orders = known.orders.map(soldOrder);
  const holdings = holdingsOf(orders, coursesInDetails(known.student)?.courses ?? []);
  const completions = await readProgress(email, holdings, left, context);
  const ignored = left() > 0 ? await statusFilterProblem(api, known.orders, stores.of(statusFilterState)) : undefined;
  const isAffordable = left() > 0 && completions.stopped === undefined;
  const ended = isAffordable ? await readEndedAccess({ known, orders, holdings }, maxRequests, context) : new Map();
  return { ...known, problem: ordersProblem(known) ?? ignored, holdings, ended, ...completions };
}
