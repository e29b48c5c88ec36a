import type { CallOptions } from '../../api/api.ts';
import type { StudentOrders, StudentRecord } from '../../api/student-orders.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import { getStudentDetails } from '../../contract/students.ts';
import { buyerKey, holds, productRef, type SoldOrder, uniqueByRef } from '../../insights/sales/sold-order.ts';
import {
  accessBefore,
  grantable,
  lossesBetween,
  type OrderLoss,
  orderLosses,
  productsBesideBundle,
  refsOfRevocation,
} from '../../insights/students/order-losses.ts';
import {
  type AccessReading,
  effectFacts,
  isListedAnywhere,
  placesListing,
  visibleEffect,
} from '../../insights/students/write-effect.ts';
import type { WriteFacts } from '../../mcp/define-api-tool.ts';
import { counted } from '../../mcp/output/text-format.ts';
import { called, isAffordable, withDeadline } from '../../mcp/titles.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { readStudent } from '../sales/read-orders.ts';
import { coursesBesideBundle, maxCourses, readingOf } from './access-facts.ts';
import { howText, isUnpaid, lossLine, lostSums, neverHeld } from './loss-lines.ts';

// Reads what a write removes before and after it: nothing brings it back, and afterwards the API no longer shows it.

interface Revoked {
  readonly kind: 'course' | 'bundle';
  readonly id: number;
}

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

function rowOf(loss: OrderLoss): WriteFacts {
  const { order, products } = loss;
  return {
    order_id: order.id,
    products: products.map(({ ref }) => ref).join(', '),
    how: howText(loss),
    ...(order.amount === undefined ? {} : { amount: oneLine(order.amount, 40) }),
    ...(order.currency === undefined ? {} : { currency: order.currency }),
    ...(order.status === undefined ? {} : { status: oneLine(order.status, 40) }),
  };
}

/** The titles of what was taken, once: many orders list the same products. */
function titlesOf(losses: readonly OrderLoss[]): Record<string, string> {
  const products = uniqueByRef(losses.flatMap((loss) => loss.products));
  return Object.fromEntries(
    products.flatMap(({ ref, title }) => (title === undefined ? [] : [[ref, oneLine(title, 200)]])),
  );
}

/** "bought separately" to "2 orders, 234.50 EUR". */
function sumsOf(losses: readonly OrderLoss[]): Record<string, string> {
  return Object.fromEntries(
    lostSums(losses).map(({ source, orders, sum }) => {
      return [source, `${counted(orders, 'order')}${sum === undefined ? '' : `, ${sum}`}`];
    }),
  );
}

/** The losses as facts of the answer; `none`: what to say if there are none. */
function lossFacts(losses: readonly OrderLoss[], none: string): WriteFacts {
  if (losses.length === 0) return { note: none };
  return {
    taken: losses.map(rowOf),
    sums: sumsOf(losses),
    titles: titlesOf(losses),
    grant_again: grantAgain(losses),
    ...(isUnpaid(losses) ? { can_undo: neverHeld } : {}),
  };
}

/** The losses by the orders before and, if they could be read, after. */
export function comparedLosses(
  before: readonly SoldOrder[],
  after: readonly SoldOrder[] | undefined,
  refs: readonly string[],
): WriteFacts {
  if (after !== undefined) return lossFacts(lossesBetween(before, after), 'no order lost anything');
  const facts = lossFacts(orderLosses(before, refs), 'no order listed it before');
  const note = 'the orders could not be read afterwards: this is what they listed before';
  return { ...facts, note: facts.note === undefined ? note : `${facts.note}; ${note}` };
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

/** What the orders and the details list after a revocation. An order that is missing afterwards shows nothing. */
function revocationFacts(revoked: Revoked, before: AccessReading, after: AccessReading): WriteFacts {
  const ref = productRef(revoked.kind, revoked.id);
  const ids = new Set(after.orders.map(({ id }) => id));
  const isLost = before.orders.some((order) => holds(order, ref) && !ids.has(order.id));
  const sight = (reading: AccessReading) => isListedAnywhere(reading, revoked.kind, ref);
  const effect = visibleEffect([
    { before: sight(before), after: sight({ ...after, isWhole: after.isWhole && !isLost }) },
  ]);
  const contents = revoked.kind === 'bundle' ? productsBesideBundle(before.orders, revoked.id) : [];
  const left = contents.filter((one) => placesListing(after, one.ref).length > 0);
  const isNoneTaken = effect === 'done' && left.length > 0 && left.length === contents.length;
  const places = placesListing(after, ref);
  const named =
    left.length === 0 ? '' : `still listed, beside the bundle before: ${left.map((one) => one.ref).join(', ')}`;
  const notes = {
    done: isNoneTaken ? `the API accepted it, and the bundle is gone, but none of its products; ${named}` : named,
    was_so: 'nothing listed it before, and nothing does now',
    still: `the API accepted it, and it is still listed by ${places.join(', ')}; it may show late: look again before you repeat it`,
    open: 'not all orders and details could be read, so it is not known whether it is gone',
  };
  const { note: _none, ...losses } = comparedLosses(before.orders, after.orders, []);
  return {
    ...losses,
    ...effectFacts(isNoneTaken ? 'still' : effect),
    ...(places.length === 0 ? {} : { still_listed: places }),
    ...(notes[effect] === '' ? {} : { note: notes[effect] }),
  };
}

/** Sends a write that takes a product off orders, and returns what each order lost. */
export async function sendAndReportLosses<Answer>(
  email: string,
  revoked: Revoked,
  context: ToolContext,
  send: (options: CallOptions) => Promise<Answer>,
): Promise<readonly [Answer, WriteFacts]> {
  const { kind, id } = revoked;
  const refsIn = (orders: readonly SoldOrder[]) => refsOfRevocation(orders, kind, id);
  const known = await readBefore(readStudent(email, { ordersAlone: true }, { api: context.api }), context);
  const old = known instanceof AcademyError ? undefined : accessBefore(known.orders, kind, id);
  const answer = await sendWithFacts(
    () => send({ journal: { old } }),
    () => ordersBeforeLines(known, refsIn),
  );
  if (known instanceof AcademyError) return [answer, unread(known)];
  const before = readingOf(known);
  const read = (api: ToolContext['api']) => readStudent(email, { ordersAlone: true }, { api });
  const seen = await readAfter(read, 1 + known.spellings.length, context);
  const after = seen && readingOf(seen);
  // An incomplete list proves nothing about orders that it does not show.
  const isStill = after !== undefined && placesListing(after, productRef(kind, id)).length > 0;
  if (after !== undefined && (isStill || (known.problem === undefined && seen?.problem === undefined)))
    return [answer, revocationFacts(revoked, before, after)];
  return [answer, { ...comparedLosses(before.orders, undefined, refsIn(before.orders)), verified: false }];
}

/** Sends unenroll_student, and compares paying_student before and after. `isNamed`: the write needs nothing of the details. */
export async function sendAndReportPaying<Answer>(
  { email, isNamed }: { email: string; isNamed: boolean },
  context: ToolContext,
  send: (details: StudentRecord, options: CallOptions) => Promise<Answer>,
): Promise<readonly [Answer, WriteFacts]> {
  const known = await readBefore(context.api.call(getStudentDetails, { email }), context);
  if (known instanceof AcademyError && !isNamed) throw known;
  const before: StudentRecord = known instanceof AcademyError ? {} : known;
  const { paying_student } = before;
  const old = paying_student === undefined ? undefined : { values: { paying_student } };
  const answer = await send(before, { journal: { old } });
  const seen = await readAfter((api) => api.call(getStudentDetails, { email }), 1, context);
  const isOther = seen?.email !== undefined && buyerKey(seen.email) !== buyerKey(email);
  const after = isOther ? undefined : seen?.paying_student;
  const effect = visibleEffect([{ before: paying_student, after }]);
  const notes: Partial<Record<typeof effect, string>> = {
    was_so: 'paying_student was false before, so nothing shows an effect',
    still: 'the API accepted it, and paying_student is still true',
  };
  return [answer, { ...effectFacts(effect), ...(notes[effect] === undefined ? {} : { note: notes[effect] }) }];
}

/** The progress in a course. Undefined if the response is unreadable, so that the other courses still count. */
async function readPercent(api: ToolContext['api'], email: string, { id }: Course): Promise<number | undefined> {
  const reading = api.call(getCourseCompletion, { course_id: id, user_email: email });
  const record = await reading.catch((error: unknown) => {
    if (error instanceof AcademyError && error.code === 'unexpected_response') return undefined;
    throw error;
  });
  return record?.course_completion_percent;
}

function progressRow({ id, title }: Course, before: number | undefined, after: number | undefined): WriteFacts {
  return {
    course_id: id,
    ...(title === undefined ? {} : { title: oneLine(title, 200) }),
    percent_before: before,
    percent_now: after,
  };
}

/** "course 5" to 40; courses whose progress is not known are left out. */
const percents = ({ courses, before }: { courses: readonly Course[]; before: readonly (number | undefined)[] }) =>
  Object.fromEntries(courses.map(({ id }, index) => [productRef('course', id), before[index]]));

/** Sends a write that deletes progress in these courses, and returns the progress in each, before and after. */
export async function sendAndReportProgress<Answer>(
  email: string,
  coursesIn: (api: ToolContext['api']) => Promise<readonly Course[]>,
  context: ToolContext,
  send: (options: CallOptions) => Promise<Answer>,
): Promise<readonly [Answer, WriteFacts]> {
  const all = (api: ToolContext['api'], courses: readonly Course[]) =>
    Promise.all(courses.slice(0, maxCourses).map((course) => readPercent(api, email, course)));
  const reading = coursesIn(context.api).then(async (courses) => ({
    courses,
    before: await all(context.api, courses),
  }));
  const known = await readBefore(reading, context);
  const answer = await sendWithFacts(
    () =>
      send({ journal: { old: known instanceof AcademyError ? undefined : { values: { progress: percents(known) } } } }),
    () => progressBeforeLines(known),
  );
  if (known instanceof AcademyError) {
    const note = `the deleted progress is not known: it could not be read before (${known.code})`;
    return [answer, { verified: false, note }];
  }
  const { courses, before } = known;
  const after = await readAfter((api) => all(api, courses), Math.min(courses.length, maxCourses), context);
  const progress = courses.map((course, index) => progressRow(course, before[index], after?.[index]));
  const hasProgress = (percent: number | undefined) => (percent === undefined ? undefined : percent > 0);
  const effect = visibleEffect(
    courses.map((_, index) => ({ before: hasProgress(before[index]), after: hasProgress(after?.[index]) })),
  );
  const left = progress.filter(({ percent_now: now }) => typeof now === 'number' && now > 0);
  const notes = {
    done: undefined,
    was_so: 'the progress was 0% before, so nothing shows an effect',
    still: `the API accepted it, and the progress is still ${left.map(({ course_id, percent_now }) => `${percent_now}% in course ${course_id}`).join(', ')}; it may show late: look again before you repeat it`,
    open:
      courses.length > 0
        ? undefined
        : 'no order shows which courses the bundle holds, so the deleted progress is not known',
  };
  const [shown, note] = [progress.length > 0 ? { progress } : {}, notes[effect]];
  return [answer, { ...shown, ...effectFacts(effect), note }];
}

/** The courses of a bundle that the student's orders show. */
export const coursesOfBundle = (email: string, bundleId: number) => async (api: ToolContext['api']) =>
  coursesBesideBundle(await readStudent(email, { ordersAlone: true }, { api }), bundleId);

// Describes the state before a write that takes something away, so that it can be granted again.

/** The products that a write takes off these orders, as refs. */
type AffectedRefs = (orders: readonly SoldOrder[]) => readonly string[];

interface Course {
  readonly id: number;
  readonly title?: string | undefined;
}

function grantAgain(losses: readonly OrderLoss[]): string {
  const { courses, bundles, others } = grantable(losses);
  const each = [...bundles.map((id) => `bundle_id ${id}`), ...courses.map((id) => `course_id ${id}`)];
  const first =
    each.length === 0 ? 'nothing paid or granted was removed' : `enroll_student with ${each.join(', then ')}`;
  const downloads = others.map(({ id }) => id).join(', ');
  return others.length === 0
    ? first
    : `${first}; digital product ${downloads} cannot be granted alone, only within a bundle that holds it`;
}

/** What a write of unknown outcome may have taken off each order. */
function ordersBeforeLines(known: StudentOrders | AcademyError, refsIn: AffectedRefs): string[] {
  if (known instanceof AcademyError)
    return [`It is not known what the orders listed before: they could not be read (${known.code}).`];
  const losses = orderLosses(known.orders, refsIn(known.orders));
  const gap = known.problem === undefined ? [] : [`Not all orders could be read (${known.problem}).`];
  if (losses.length === 0) return [...gap, 'No order that was read listed it before.'];
  return [
    ...gap,
    `Before, it was on ${counted(losses.length, 'order')}, which may have lost it:`,
    ...losses.map((loss) => lossLine(loss)),
    `To grant it again: ${grantAgain(losses)}.`,
  ];
}

function progressBeforeLines(
  known: { courses: readonly Course[]; before: readonly (number | undefined)[] } | AcademyError,
) {
  if (known instanceof AcademyError)
    return [`The earlier progress is not known: it could not be read (${known.code}).`];
  const { courses, before } = known;
  if (courses.length === 0)
    return ['The earlier progress is not known: no order shows which courses the bundle holds.'];
  return courses.map(({ id, title }, index) => {
    const percent = before[index];
    return `Earlier progress in ${called('course', id, title)}: ${percent === undefined ? 'not shown' : `${percent}%`}.`;
  });
}
