import { readStudentOrders } from '../../api/student-orders.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import { productRef, type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import { shownContents, type Taking, takenBetween, takings } from '../../insights/students/order-losses.ts';
import type { WriteFacts } from '../../mcp/define-api-tool.ts';
import { isAffordable, withDeadline } from '../../mcp/titles.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { coursesShown, maxCourses } from './access-facts.ts';
import { type Course, grantAgain, linesBefore, progressBefore, type RefsIn } from './state-before-write.ts';

// What was taken is read around the write: nothing brings it back, and afterwards the API shows it nowhere.

/** A look back may wait so long, in milliseconds: the write is done. */
const patience = 5_000;

/** A refusal that a wait would cure, and the end of the call, end it before the write; other failures leave a gap. */
async function beforehand<T>(reading: Promise<T>, { signal }: ToolContext): Promise<T | AcademyError> {
  return await reading.catch((error: unknown) => {
    const isOver = signal.aborted || !(error instanceof AcademyError) || error.code === 'rate_limited';
    if (isOver) throw error;
    return error;
  });
}

/** Reads once more what the write was to change; undefined where that would make anybody wait, or fails. */
async function afterwards<T>(
  read: (api: ToolContext['api']) => Promise<T>,
  requests: number,
  context: ToolContext,
): Promise<T | undefined> {
  if (!isAffordable(context, requests)) return undefined;
  return await read(withDeadline(context, patience)).catch(() => undefined);
}

function rowsOf({ order, products, how }: Taking): WriteFacts[] {
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

/** What was taken, told as rows. */
function toldOf(taken: readonly Taking[], verified: boolean): WriteFacts {
  if (taken.length === 0) return { verified, note: 'no order listed it: nothing was taken off one' };
  return { taken: taken.flatMap(rowsOf), verified, grant_again: grantAgain(taken) };
}

/** What can be told of orders before and, where they could be read, after. */
function toldOfOrders(
  before: readonly SoldOrder[],
  after: readonly SoldOrder[] | undefined,
  refs: readonly string[],
): WriteFacts {
  if (after !== undefined) return toldOf(takenBetween(before, after), true);
  const told = toldOf(takings(before, refs), false);
  const note = 'the orders could not be read back: this is what they listed before';
  return { ...told, note: told.note === undefined ? note : `${told.note}; ${note}` };
}

/** What is known of before the write stays known where its outcome does not. */
async function sent<Answer>(send: () => Promise<Answer>, before: () => readonly string[]): Promise<Answer> {
  return await send().catch((error: unknown) => {
    if (error instanceof AcademyError && error.outcome === 'outcome_unknown') error.before = before();
    throw error;
  });
}

function unread({ code }: AcademyError): WriteFacts {
  return {
    verified: false,
    note: `what was taken is not known: it could not be read before (${code}); compare with list_orders and user_email`,
  };
}

/** Makes a write that takes products off orders, and tells what it took from which. */
export async function aroundOrders<Answer>(
  email: string,
  refsIn: RefsIn,
  context: ToolContext,
  send: () => Promise<Answer>,
): Promise<readonly [Answer, WriteFacts]> {
  const known = await beforehand(readStudentOrders(context.api, email, { ordersAlone: true }), context);
  const answer = await sent(send, () => linesBefore(known, refsIn));
  if (known instanceof AcademyError) return [answer, unread(known)];
  const before = known.orders.map(soldOrder);
  const read = (api: ToolContext['api']) => readStudentOrders(api, email, { ordersAlone: true });
  const seen = await afterwards(read, 1 + known.spellings.length, context);
  // A list that ended early proves nothing of what it does not show.
  const isWhole = known.problem === undefined && seen?.problem === undefined;
  const after = isWhole ? seen?.orders.map(soldOrder) : undefined;
  return [answer, toldOfOrders(before, after, refsIn(before))];
}

export const courseRefs = (id: number) => () => [productRef('course', id)];

export const bundleRefs = (id: number) => (orders: readonly SoldOrder[]) => [
  productRef('bundle', id),
  ...shownContents(orders, id).map(({ ref }) => ref),
];

/** Undefined where the answer cannot be read: that is a gap in what is told, and no reason to tell nothing. */
async function percentIn(api: ToolContext['api'], email: string, { id }: Course): Promise<number | undefined> {
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

/** Makes a write that deletes progress in these courses, and tells how much there was in each. */
export async function aroundProgress<Answer>(
  email: string,
  coursesIn: (api: ToolContext['api']) => Promise<readonly Course[]>,
  context: ToolContext,
  send: () => Promise<Answer>,
): Promise<readonly [Answer, WriteFacts]> {
  const all = (api: ToolContext['api'], courses: readonly Course[]) =>
    Promise.all(courses.slice(0, maxCourses).map((course) => percentIn(api, email, course)));
  const reading = coursesIn(context.api).then(async (courses) => ({
    courses,
    before: await all(context.api, courses),
  }));
  const known = await beforehand(reading, context);
  const answer = await sent(send, () => progressBefore(known));
  if (known instanceof AcademyError) {
    return [
      answer,
      {
        verified: false,
        note: `the progress that was deleted is not known: it could not be read before (${known.code})`,
      },
    ];
  }
  const { courses, before } = known;
  const after = await afterwards((api) => all(api, courses), Math.min(courses.length, maxCourses), context);
  const progress = courses.map((course, index) => progressRow(course, before[index], after?.[index]));
  const told =
    progress.length > 0
      ? { progress }
      : { note: 'no order shows which courses the bundle holds: what was deleted is not known' };
  const isRead = after?.every((percent) => percent !== undefined) ?? false;
  return [answer, { ...told, verified: isRead && courses.length > 0 }];
}

/** The courses of a bundle as far as the student's orders show them. */
export const coursesOfBundle = (email: string, bundleId: number) => async (api: ToolContext['api']) =>
  coursesShown(await readStudentOrders(api, email, { ordersAlone: true }), bundleId);
