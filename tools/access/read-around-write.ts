import type { CallOptions } from '../../src/api/api.ts';
import type { StudentOrders, StudentRecord } from '../../src/api/student-orders.ts';
import { getCourseCompletion } from '../../src/contract/courses.ts';
import { getStudentDetails } from '../../src/contract/students.ts';
import {
  holds,
  type ListedProduct,
  productRef,
  type SoldOrder,
  uniqueByRef,
} from '../../src/insights/sales/sold-order.ts';
import { type HoldingEvidence, isListedAnywhere, placesListing } from '../../src/insights/students/holdings.ts';
import {
  accessBefore,
  contentsOf,
  grantable,
  lossesBetween,
  type OrderLoss,
  orderLosses,
  refsOfRevocation,
} from '../../src/insights/students/order-losses.ts';
import type { WriteFacts } from '../../src/mcp/define-api-tool.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { called, isAffordable, withDeadline } from '../../src/mcp/titles.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { readStudent } from '../../src/workflows/sales/read-orders.ts';
import { coursesBesideBundle, maxCourses } from './access-facts.ts';
import { howText, isUnpaid, lossLine, lostSums, neverHeld } from './loss-lines.ts';

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

/** Adds what was known before the write to an error of unknown outcome. */
async function sendWithFacts<Answer>(sending: Promise<Answer>, before: () => readonly string[]): Promise<Answer> {
  return await sending.catch((error: unknown) => {
    if (error instanceof AcademyError && error.outcome === 'outcome_unknown') error.before = before();
    throw error;
  });
}

// The effect of a write, by what was there before and after it.

/** Whether one thing that a write removes was there before it, and is there after it. Undefined: not known. */
type Sight = readonly [before: boolean | undefined, after: boolean | undefined];

/** `done`: something went. `was_so`: nothing was there before, which proves nothing. `still`: it is there. `open`: not read. */
type VisibleEffect = 'done' | 'was_so' | 'still' | 'open';

/** The one rule for all writes that take something away. */
function visibleEffect(sights: readonly Sight[]): VisibleEffect {
  if (sights.some(([, after]) => after === true)) return 'still';
  if (sights.length === 0 || sights.some((sight) => sight.includes(undefined))) return 'open';
  return sights.some(([before]) => before === true) ? 'done' : 'was_so';
}

/** The outcome of a write that the API accepted. Only a seen change is verified. */
function effectFacts(effect: VisibleEffect, note: string | undefined): WriteFacts {
  const outcome = { done: 'applied', open: 'applied', was_so: 'already_there', still: 'outcome_unknown' }[effect];
  return { outcome, verified: effect === 'done', note };
}

// What a revocation takes off orders.

function rowOf(loss: OrderLoss): WriteFacts {
  const { order, products, kept } = loss;
  return {
    order_id: order.id,
    products: products.map(({ ref }) => ref).join(', '),
    keeps: kept.map(({ ref }) => ref).join(', ') || undefined,
    how: howText(loss),
    amount: order.amount && oneLine(order.amount, 40),
    currency: order.currency,
    status: order.status && oneLine(order.status, 40),
  };
}

/** "bought separately" to "2 orders, 234.50 EUR". */
function sumsOf(losses: readonly OrderLoss[]): Record<string, string> {
  return Object.fromEntries(
    lostSums(losses).map(({ source, orders, sum, isOfMore }) => {
      const whole = isOfMore ? ' (whole orders: see keeps)' : '';
      return [source, `${counted(orders, 'order')}${sum === undefined ? '' : `, ${sum}${whole}`}`];
    }),
  );
}

/** The losses as facts of the answer; `none`: what to say if there are none. */
function lossFacts(losses: readonly OrderLoss[], none: string): WriteFacts {
  if (losses.length === 0) return { note: none };
  const products = uniqueByRef(losses.flatMap((loss) => loss.products));
  return {
    taken: losses.map(rowOf),
    sums: sumsOf(losses),
    // Once: many orders list the same products.
    titles: Object.fromEntries(products.map(({ ref, title }) => [ref, title && oneLine(title, 200)])),
    grant_again: grantAgain(losses),
    ...(isUnpaid(losses) && { can_undo: neverHeld }),
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

function grantAgain(losses: readonly OrderLoss[]): string {
  const { courses, bundles, downloads } = grantable(losses);
  const each = [...bundles.map((id) => `bundle_id ${id}`), ...courses.map((id) => `course_id ${id}`)];
  const first =
    each.length === 0 ? 'nothing paid or granted was removed' : `enroll_student with ${each.join(', then ')}`;
  return downloads.length === 0
    ? first
    : `${first}; digital product ${downloads.join(', ')} cannot be granted alone, only within a bundle that holds it`;
}

/** What a write of unknown outcome may have taken off each order. */
function ordersBeforeLines({ orders, problem }: StudentOrders, refs: readonly string[]): string[] {
  const losses = orderLosses(orders, refs);
  const gap = problem === undefined ? [] : [`Not all orders could be read (${problem}).`];
  if (losses.length === 0) return [...gap, 'No order that was read listed it before.'];
  return [
    ...gap,
    `Before, it was on ${counted(losses.length, 'order')}, which may have lost it:`,
    ...losses.map((loss) => lossLine(loss)),
    `To grant it again: ${grantAgain(losses)}.`,
  ];
}

/** What the orders and the details list after a revocation. An order that is missing afterwards shows nothing. */
function revocationFacts(revoked: ListedProduct, before: HoldingEvidence, after: HoldingEvidence): WriteFacts {
  const { kind, ref } = revoked;
  const ids = new Set(after.orders.map((order) => order.id));
  const isLost = before.orders.some((order) => holds(order, ref) && !ids.has(order.id));
  const sight = (reading: HoldingEvidence) => isListedAnywhere(reading, kind, ref);
  const seen = sight(isLost ? { ...after, missing: 'an order that listed it' } : after);
  const effect = visibleEffect([[sight(before), seen]]);
  const contents = contentsOf(before.orders, revoked);
  const left = contents.filter((one) => placesListing(after, one.ref).length > 0);
  const isNoneTaken = effect === 'done' && left.length > 0 && left.length === contents.length;
  const places = placesListing(after, ref);
  const named = `still listed, beside the bundle before: ${left.map((one) => one.ref).join(', ')}`;
  const whole = `the API accepted it, and the bundle is gone, but none of its products; ${named}`;
  const notes = {
    done: isNoneTaken ? whole : left.length > 0 ? named : undefined,
    was_so: 'nothing listed it before, and nothing does now',
    still: `the API accepted it, and it is still listed by ${places.join(', ')}; it may show late: look again before you repeat it`,
    open: 'not all orders and details could be read, so it is not known whether it is gone',
  };
  return {
    ...comparedLosses(before.orders, after.orders, []),
    ...effectFacts(isNoneTaken ? 'still' : effect, notes[effect]),
    ...(places.length > 0 && { still_listed: places }),
  };
}

/** Sends a write that takes a product off orders, and returns what each order lost. */
export async function sendAndReportLosses<Answer>(
  email: string,
  revoked: ListedProduct,
  context: ToolContext,
  send: (options: CallOptions) => Promise<Answer>,
): Promise<readonly [Answer, WriteFacts]> {
  const read = (api: ToolContext['api']) => readStudent(email, { ordersAlone: true }, { api });
  const known = await readBefore(read(context.api), context);
  if (known instanceof AcademyError) {
    const why = `they could not be read (${known.code})`;
    const answer = await sendWithFacts(send({ journal: {} }), () => [
      `It is not known what the orders listed before: ${why}.`,
    ]);
    const note = `it is not known what was removed: the orders could not be read before (${known.code}); check list_orders with user_email`;
    return [answer, { verified: false, note }];
  }
  const refs = refsOfRevocation(known.orders, revoked);
  const old = accessBefore(known.orders, revoked);
  const answer = await sendWithFacts(send({ journal: { old } }), () => ordersBeforeLines(known, refs));
  const seen = await readAfter(read, 1 + known.spellings.length, context);
  // An incomplete list proves nothing about orders that it does not show.
  const isStill = seen !== undefined && placesListing(seen, revoked.ref).length > 0;
  if (seen !== undefined && (isStill || (known.problem ?? seen.problem) === undefined))
    return [answer, revocationFacts(revoked, known, seen)];
  return [answer, { ...comparedLosses(known.orders, undefined, refs), verified: false }];
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
  const effect = visibleEffect([[paying_student, seen?.paying_student]]);
  const notes: Partial<Record<typeof effect, string>> = {
    was_so: 'paying_student was false before, so nothing shows an effect',
    still: 'the API accepted it, and paying_student is still true',
  };
  return [answer, effectFacts(effect, notes[effect])];
}

// What a reset deletes.

interface Course {
  readonly id: number;
  readonly title?: string | undefined;
}

interface Progress extends Course {
  /** Undefined if it was not read, or the answer is unreadable: the other courses still count. */
  readonly percent: number | undefined;
}

async function readProgress(api: ToolContext['api'], email: string, courses: readonly Course[]): Promise<Progress[]> {
  const read = async ({ id }: Course) => {
    const reading = api.call(getCourseCompletion, { course_id: id, user_email: email });
    const record = await reading.catch((error: unknown) => {
      if (error instanceof AcademyError && error.code === 'unexpected_response') return undefined;
      throw error;
    });
    return record?.course_completion_percent;
  };
  const percents = await Promise.all(courses.slice(0, maxCourses).map(read));
  return courses.map((course, index) => ({ ...course, percent: percents[index] }));
}

function progressBeforeLines(known: readonly Progress[] | AcademyError): string[] {
  if (known instanceof AcademyError)
    return [`The earlier progress is not known: it could not be read (${known.code}).`];
  if (known.length === 0) return ['The earlier progress is not known: no order shows which courses the bundle holds.'];
  return known.map(
    ({ id, title, percent }) =>
      `Earlier progress in ${called('course', id, title)}: ${percent === undefined ? 'not shown' : `${percent}%`}.`,
  );
}

export async function sendAndReportProgress<Answer>(
  email: string,
  coursesIn: (api: ToolContext['api']) => Promise<readonly Course[]>,
  context: ToolContext,
  send: (options: CallOptions) => Promise<Answer>,
): Promise<readonly [Answer, WriteFacts]> {
  const reading = coursesIn(context.api).then((courses) => readProgress(context.api, email, courses));
  const known = await readBefore(reading, context);
  const percents = (all: readonly Progress[]) =>
    Object.fromEntries(all.map(({ id, percent }) => [productRef('course', id), percent]));
  const old = known instanceof AcademyError ? undefined : { values: { progress: percents(known) } };
  const answer = await sendWithFacts(send({ journal: { old } }), () => progressBeforeLines(known));
  if (known instanceof AcademyError) {
    const note = `the deleted progress is not known: it could not be read before (${known.code})`;
    return [answer, { verified: false, note }];
  }
  const requests = Math.min(known.length, maxCourses);
  const after = await readAfter((api) => readProgress(api, email, known), requests, context);
  const progress = known.map(({ id, title, percent }, index) => ({
    course_id: id,
    title: title && oneLine(title, 200),
    percent_before: percent,
    percent_now: after?.[index]?.percent,
  }));
  const isAny = (percent: number | undefined) => (percent === undefined ? undefined : percent > 0);
  const effect = visibleEffect(progress.map((row) => [isAny(row.percent_before), isAny(row.percent_now)]));
  const left = progress.filter((row) => isAny(row.percent_now));
  const unknown = 'no order shows which courses the bundle holds, so the deleted progress is not known';
  const notes = {
    done: undefined,
    was_so: 'the progress was 0% before, so nothing shows an effect',
    still: `the API accepted it, and the progress is still ${left.map(({ course_id, percent_now }) => `${percent_now}% in course ${course_id}`).join(', ')}; it may show late: look again before you repeat it`,
    open: known.length > 0 ? undefined : unknown,
  };
  return [answer, { ...(progress.length > 0 && { progress }), ...effectFacts(effect, notes[effect]) }];
}

export const coursesOfBundle = (email: string, bundleId: number) => async (api: ToolContext['api']) =>
  coursesBesideBundle(await readStudent(email, { ordersAlone: true }, { api }), bundleId);
