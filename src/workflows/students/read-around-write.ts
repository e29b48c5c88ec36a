import { readStudentOrders } from '../../api/student-orders.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import { productRef, type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import {
  lossesBetween,
  type OrderLoss,
  orderLosses,
  productsBesideBundle,
} from '../../insights/students/order-losses.ts';
import type { WriteFacts } from '../../mcp/define-api-tool.ts';
import { isAffordable, withDeadline } from '../../mcp/titles.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { coursesBesideBundle, maxCourses } from './access-facts.ts';
import {
  type AffectedRefs,
  type Course,
  grantAgain,
  ordersBeforeLines,
  progressBeforeLines,
} from './state-before-write.ts';

// Reads what a write removes before and after it: nothing brings it back, and afterwards the API no longer shows it.

/** The longest wait for the reads after a write. Milliseconds. */
const maxWaitMs = 5_000;

/** A rate limit or a cancelled call stops before the write; after other errors the write goes ahead without the facts. */
async function readBefore<T>(reading: Promise<T>, { signal }: ToolContext): Promise<T | AcademyError> {
  return await reading.catch((error: unknown) => {
    const isOver = signal.aborted || !(error instanceof AcademyError) || error.code === 'rate_limited';
    if (isOver) throw error;
    return error;
  });
}

/** Reads again what the write changes; undefined if that fails or would make others wait. */
async function readAfter<T>(
  read: (api: ToolContext['api']) => Promise<T>,
  requests: number,
  context: ToolContext,
): Promise<T | undefined> {
  if (!isAffordable(context, requests)) return undefined;
  return await read(withDeadline(context, maxWaitMs)).catch(() => undefined);
}

function rowsOf({ order, products, how }: OrderLoss): WriteFacts[] {
  return products.map(({ kind, id, title }) => ({
    order_id: order.id,
    product: `${kind} ${id}`,
    ...(title === undefined ? {} : { title: oneLine(title, 200) }),
    how,
    ...(order.amount === undefined ? {} : { amount: oneLine(order.amount, 40) }),
    ...(order.currency === undefined ? {} : { currency: order.currency }),
    ...(order.status === undefined ? {} : { status: oneLine(order.status, 40) }),
  }));
}

/** The losses as facts of the answer. */
function lossFacts(losses: readonly OrderLoss[], verified: boolean): WriteFacts {
  if (losses.length === 0) return { verified, note: 'no order listed it, so none lost it' };
  return { taken: losses.flatMap(rowsOf), verified, grant_again: grantAgain(losses) };
}

/** The losses by the orders before and, if they could be read, after. */
export function comparedLosses(
  before: readonly SoldOrder[],
  after: readonly SoldOrder[] | undefined,
  refs: readonly string[],
): WriteFacts {
  if (after !== undefined) return lossFacts(lossesBetween(before, after), true);
  const told = lossFacts(orderLosses(before, refs), false);
  const note = 'the orders could not be read afterwards: this is what they listed before';
  return { ...told, note: told.note === undefined ? note : `${told.note}; ${note}` };
}

/** Adds what was known before the write to an error of unknown outcome. */
async function sendWithFacts<Answer>(send: () => Promise<Answer>, before: () => readonly string[]): Promise<Answer> {
  return await send().catch((error: unknown) => {
    if (error instanceof AcademyError && error.outcome === 'outcome_unknown') error.before = before();
    throw error;
  });
}

function unread({ code }: AcademyError): WriteFacts {
  return {
    verified: false,
    note: `it is not known what was removed: the orders could not be read before (${code}); check list_orders with user_email`,
  };
}

/** Sends a write that takes products off orders, and returns what each order lost. */
export async function sendAndReportLosses<Answer>(
  email: string,
  refsIn: AffectedRefs,
  context: ToolContext,
  send: () => Promise<Answer>,
): Promise<readonly [Answer, WriteFacts]> {
  const known = await readBefore(readStudentOrders(context.api, email, { ordersAlone: true }), context);
  const answer = await sendWithFacts(send, () => ordersBeforeLines(known, refsIn));
  if (known instanceof AcademyError) return [answer, unread(known)];
  const before = known.orders.map(soldOrder);
  const read = (api: ToolContext['api']) => readStudentOrders(api, email, { ordersAlone: true });
  const seen = await readAfter(read, 1 + known.spellings.length, context);
  // An incomplete list proves nothing about orders that it does not show.
  const isWhole = known.problem === undefined && seen?.problem === undefined;
  const after = isWhole ? seen?.orders.map(soldOrder) : undefined;
  return [answer, comparedLosses(before, after, refsIn(before))];
}

export const courseRefs = (id: number) => () => [productRef('course', id)];

export const bundleRefs = (id: number) => (orders: readonly SoldOrder[]) => [
  productRef('bundle', id),
  ...productsBesideBundle(orders, id).map(({ ref }) => ref),
];

/** The progress in a course. Undefined if the response is unreadable, so that the other courses still count. */
async function readPercent(api: ToolContext['api'], email: string, { id }: Course): Promise<number | undefined> {
  const asked = api.call(getCourseCompletion, { course_id: id, user_email: email });
  const record = await asked.catch((error: unknown) => {
    if (error instanceof AcademyError && error.code === 'unexpected_response') return undefined;
    throw error;
  });
  return record?.course_completion_percent;
}

function progressRow({ id, title }: Course, before: number | undefined, after: number | undefined): WriteFacts {
  return {
    course_id: id,
    ...(title === undefined ? {} : { title: oneLine(title, 200) }),
    ...(before === undefined ? {} : { percent_before: before }),
    ...(after === undefined ? {} : { percent_now: after }),
  };
}

/** Sends a write that deletes progress in these courses, and returns the progress in each, before and after. */
export async function sendAndReportProgress<Answer>(
  email: string,
  coursesIn: (api: ToolContext['api']) => Promise<readonly Course[]>,
  context: ToolContext,
  send: () => Promise<Answer>,
): Promise<readonly [Answer, WriteFacts]> {
  const all = (api: ToolContext['api'], courses: readonly Course[]) =>
    Promise.all(courses.slice(0, maxCourses).map((course) => readPercent(api, email, course)));
  const reading = coursesIn(context.api).then(async (courses) => ({
    courses,
    before: await all(context.api, courses),
  }));
  const known = await readBefore(reading, context);
  const answer = await sendWithFacts(send, () => progressBeforeLines(known));
  if (known instanceof AcademyError) {
    return [
      answer,
      {
        verified: false,
        note: `the deleted progress is not known: it could not be read before (${known.code})`,
      },
    ];
  }
  const { courses, before } = known;
  const after = await readAfter((api) => all(api, courses), Math.min(courses.length, maxCourses), context);
  const progress = courses.map((course, index) => progressRow(course, before[index], after?.[index]));
  const told =
    progress.length > 0
      ? { progress }
      : { note: 'no order shows which courses the bundle holds, so the deleted progress is not known' };
  const isRead = after?.every((percent) => percent !== undefined) ?? false;
  return [answer, { ...told, verified: isRead && courses.length > 0 }];
}

/** The courses of a bundle that the student's orders show. */
export const coursesOfBundle = (email: string, bundleId: number) => async (api: ToolContext['api']) =>
  coursesBesideBundle(await readStudentOrders(api, email, { ordersAlone: true }), bundleId);
