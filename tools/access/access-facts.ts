import type { Api } from '../../src/api/api.ts';
import type { StudentOrders, StudentRecord } from '../../src/api/student-orders.ts';
import { getBundle } from '../../src/contract/bundles.ts';
import { getCourseCompletion, listRoles } from '../../src/contract/courses.ts';
import { type KnownProduct, untitled } from '../../src/insights/sales/products-in-order.ts';
import { ordersOfBundlesAlone, productRef } from '../../src/insights/sales/sold-order.ts';
import { type Holding, holdingsOf, isListedAnywhere, uncheckedEnd } from '../../src/insights/students/holdings.ts';
import { contentsOf } from '../../src/insights/students/order-losses.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { called, productNamed, quotedName, titlesOf } from '../../src/mcp/titles.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { readStudent, type StudentSource } from '../../src/workflows/sales/read-orders.ts';
import { type EndedAccess, readEndedAccess } from '../../src/workflows/students/access-days.ts';
import { lossLines } from './loss-lines.ts';

// The facts that a person needs before they take something away from a student. Names are user text: each is one short line in
// quotes. No fact is left out for its length.

function describeStudent(email: string, student: StudentRecord): string {
  const { name, created_at, paying_student, completion_percent } = student;
  const facts = [
    `Student: ${quotedName(name ?? '', 100)} <${email}>`,
    ...(created_at === undefined ? [] : [`since ${created_at.slice(0, 10)}`]),
    ...(paying_student === undefined ? [] : [`paying_student ${paying_student}`]),
    ...(completion_percent === undefined ? [] : [`${completion_percent}% of everything completed`]),
  ];
  return `${facts.join(', ')}.`;
}

const howMarks = { bought: undefined, granted: 'granted', enrolled: 'no order explains why' } as const;

function holdingText({ how, ...product }: Holding, ended: EndedAccess): string {
  const end = ended.get(product.ref);
  const marks = [howMarks[how], end && `access ended on ${end}`].filter(Boolean).join(', ');
  return `${productNamed(product)}${marks && ` (${marks})`}`;
}

function holdsLine(known: StudentOrders, ended: EndedAccess): string {
  const held = holdingsOf(known);
  if (held.length === 0) return 'Holds no products now.';
  const names = held.map((one) => holdingText(one, ended)).join(', ');
  const unchecked = uncheckedEnd(held, ended);
  const note = unchecked === undefined ? '' : ` ${unchecked.charAt(0).toUpperCase()}${unchecked.slice(1)}.`;
  return `Holds ${counted(held.length, 'product')} now: ${names}. Bought, if no mark says otherwise.${note}`;
}

export function identityLines(email: string, { student, namesakes, problem, copied }: StudentOrders): string[] {
  return compact([
    describeStudent(email, student),
    namesakes !== undefined && `Check the email: ${namesakes}.`,
    // Orders that could not be read may lose products too: the person who confirms must know.
    problem && `Not all orders could be read (${problem}): more may be affected than is shown.`,
    copied && 'Pending and failed orders are those in the mirror, and may have changed.',
  ]);
}

export function studentLines(email: string, known: StudentOrders, ended: EndedAccess = new Map()): string[] {
  return [...identityLines(email, known), holdsLine(known, ended)];
}

export async function studentFacts(source: StudentSource, email: string): Promise<string[]> {
  return studentLines(email, await readStudent(email, {}, source));
}

/** Whether nothing lists the product, on an order of any status or in the details: nothing would be taken. */
function isAbsent({ ref, kind }: KnownProduct, known: StudentOrders): boolean {
  // A bundle whose contents no order shows may hold the course.
  const isOpen = kind === 'course' && ordersOfBundlesAlone(known.orders).length > 0;
  return !isOpen && isListedAnywhere(known, kind, ref) === false;
}

/** The refusal of a confirmation by which nothing would be taken: it gives no way to confirm. */
function absentError(email: string, product: KnownProduct, known: StudentOrders): AcademyError {
  const held = holdingsOf(known).filter(({ kind }) => kind === product.kind);
  const names = held.length === 0 ? `no ${product.kind}` : held.map(productNamed).join(', ');
  return new AcademyError(
    'confirmation_required',
    `no order of ${email} lists ${productNamed(product)}: nothing would be taken, so there is nothing to confirm`,
    { hint: `They hold ${names}.`, outcome: 'not_applied' },
  );
}

/** Who the student is, and which orders lose the course. */
export async function courseLoss(context: ToolContext, email: string, courseId: number): Promise<string[]> {
  const known = await readStudent(email, {}, context);
  const course = untitled('course', courseId);
  if (isAbsent(course, known)) {
    const { course_id: title } = await titlesOf(['course_id'], { course_id: courseId }, context);
    throw absentError(email, { ...course, title }, known);
  }
  return [...studentLines(email, known), ...lossLines(course.ref, course, known)];
}

/** The same for a reset of the progress in a course: whether access to it has ended is read too. */
export async function holderFacts(context: ToolContext, email: string, courseId: number): Promise<string[]> {
  const known = await readStudent(email, {}, context);
  const holdings = holdingsOf(known).filter(({ ref }) => ref === productRef('course', courseId));
  const ended = await readEndedAccess(known, holdings, context.spent() + 2, context);
  return studentLines(email, known, ended);
}

/** The progress in percent now: what a reset deletes. */
export async function progressFacts(api: Api, email: string, courseId: number, title?: string): Promise<string[]> {
  const question = { course_id: courseId, user_email: email };
  const { course_completion_percent: percent } = await api.call(getCourseCompletion, question);
  const course = called('course', courseId, title);
  if (percent === undefined) return [`The API does not show the progress in ${course}.`];
  return [`Completed of ${course} now: ${percent}%.`];
}

export async function roleFacts(api: Api, roleId: number): Promise<string[]> {
  const { items } = await api.call(listRoles, {});
  const role = items.find(({ id }) => id === roleId);
  const name = role === undefined ? 'is not in the list of roles' : `is ${quotedName(role.name ?? '', 100)}`;
  return [`Role ${roleId} ${name}. The API does not show which roles a student has.`];
}

export async function together(...facts: Promise<string[]>[]): Promise<string[]> {
  return (await Promise.all(facts)).flat();
}

// The facts that a person needs before they take a bundle away from a student, or delete the progress in it.

/** The student, and the title of a bundle and the number of products in it; neither if the API does not show the bundle. */
async function readWithBundle(source: StudentSource, email: string, bundle_id: number) {
  const bundle = source.api
    .call(getBundle, { bundle_id })
    .catch((error: unknown): { title?: string; product_count?: number } => {
      if (error instanceof AcademyError && error.code !== 'rate_limited') return {};
      throw error;
    });
  return await Promise.all([readStudent(email, {}, source), bundle]);
}

/** What is known of the contents of a bundle: the API never lists them, and orders show some. */
function contentsLine(bundleId: number, shown: number, count: number | undefined): string {
  const source = `The API never lists what a bundle holds; the student's orders show ${counted(shown, 'product')} beside bundle ${bundleId}`;
  const off = 'and the API may take more off these and other orders, even products bought separately';
  if (count === undefined) return `${source}. It may hold more, ${off}.`;
  const said = `${source}, and product_count says that it holds ${count}`;
  if (shown < count) return `${said}: ${count - shown} of ${count} are not known, ${off}.`;
  if (shown === count) return `${said}: ${count} of ${count} are known, if these are the contents.`;
  return `${said}: some of them may have been bought separately, and may stay.`;
}

/** Who the student is, and which orders lose the bundle or its known contents. */
export async function bundleLoss(source: StudentSource, email: string, bundleId: number): Promise<string[]> {
  const [known, { title, product_count }] = await readWithBundle(source, email, bundleId);
  const { orders } = known;
  const bundle = { ...untitled('bundle', bundleId), title };
  const contents = contentsOf(orders, bundle);
  if (isAbsent(bundle, known)) throw absentError(email, bundle, known);
  const named = contents.map(productNamed).join(', ') || 'none';
  const others = holdingsOf(known).filter(({ kind, id }) => kind === 'bundle' && id !== bundleId);
  const how = `each revoked by a call of its own: offboard_student without confirm shows the products and orders of all bundles in one plan`;
  return [
    ...studentLines(email, known),
    ...lossLines(`bundle ${bundleId}, or what orders show of its contents`, bundle, known),
    `Orders with the bundle list: ${named}.`,
    contentsLine(bundleId, contents.length, product_count),
    // This plan shows one bundle.
    ...(others.length > 0 ? [`They also hold bundle ${others.map(({ id }) => id).join(', ')}, ${how}.`] : []),
  ];
}

/** The most courses of a bundle to read progress for: each is a request. */
export const maxCourses = 20;

export function coursesBesideBundle({ orders }: Pick<StudentOrders, 'orders'>, bundleId: number) {
  return contentsOf(orders, untitled('bundle', bundleId)).filter(({ kind }) => kind === 'course');
}

export async function bundleProgressFacts(source: StudentSource, email: string, bundleId: number): Promise<string[]> {
  const [known, { product_count: count }] = await readWithBundle(source, email, bundleId);
  const courses = coursesBesideBundle(known, bundleId);
  const checked = courses.slice(0, maxCourses);
  const each = await Promise.all(checked.map(({ id, title }) => progressFacts(source.api, email, id, title)));
  const rest = courses.slice(maxCourses).map((course) => `Not read: the progress in ${productNamed(course)}.`);
  const shown = contentsOf(known.orders, untitled('bundle', bundleId)).length;
  const said =
    count === undefined ? 'does not say how many products it holds' : `says that it holds ${counted(count, 'product')}`;
  return compact([
    ...studentLines(email, known),
    ...each.flat(),
    ...rest,
    courses.length === 0 &&
      'No order shows which courses the bundle holds, so the progress that would be lost is not known.',
    `The API never lists what a bundle holds: orders show ${counted(shown, 'product')} beside it, and the bundle ${said}. Progress in a course that no order shows is deleted too.`,
  ]);
}
