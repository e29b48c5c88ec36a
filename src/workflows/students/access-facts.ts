import type { Api } from '../../api/api.ts';
import { readStudentOrders, type StudentOrders, type StudentRecord } from '../../api/student-orders.ts';
import { getBundle } from '../../contract/bundles.ts';
import { getCourseCompletion, listRoles } from '../../contract/courses.ts';
import { productRef, soldOrder } from '../../insights/sales/sold-order.ts';
import { coursesInDetails } from '../../insights/students/courses-in-details.ts';
import { type Holding, holdingsOf } from '../../insights/students/holdings.ts';
import { productsBesideBundle } from '../../insights/students/order-losses.ts';
import { counted } from '../../mcp/output/text-format.ts';
import { called, quotedName } from '../../mcp/titles.ts';
import { AcademyError } from '../../shared/errors.ts';
import { lossLines, productNamed } from './loss-lines.ts';

// The facts that a person needs before they take something away from a student. Names are user text: each is one short line in
// quotes. No fact is left out for its length.

function describeStudent(
  email: string,
  { name, created_at, paying_student, completion_percent }: StudentRecord,
): string {
  const facts = [
    ...(created_at === undefined ? [] : [`since ${created_at.slice(0, 10)}`]),
    ...(paying_student === undefined ? [] : [`paying_student ${paying_student}`]),
    ...(completion_percent === undefined ? [] : [`${completion_percent}% of everything completed`]),
  ];
  return `Student: ${quotedName(name ?? '', 100)} <${email}>${facts.length > 0 ? `, ${facts.join(', ')}` : ''}.`;
}

function holdingText({ how, via, ...product }: Holding): string {
  const source = how === 'enrolled' ? 'no order explains why' : how;
  return `${productNamed(product)} (${source}${via === undefined ? '' : ` in ${quotedName(via)}`})`;
}

/** All products that the student holds. */
function holdsLine({ student, orders }: StudentOrders): string {
  const held = holdingsOf(orders.map(soldOrder), coursesInDetails(student)?.courses ?? []);
  if (held.length === 0) return 'Holds no products now.';
  return `Holds ${counted(held.length, 'product')} now: ${held.map(holdingText).join(', ')}.`;
}

/** Orders that could not be read may lose products too: the person who confirms must know. */
function missingLines({ problem }: StudentOrders): string[] {
  return problem === undefined
    ? []
    : [`Not all orders could be read (${problem}): more may be affected than is shown.`];
}

/** Who the student is, whether orders are missing, and all that they hold. */
export function studentLines(email: string, known: StudentOrders): string[] {
  return [describeStudent(email, known.student), ...missingLines(known), holdsLine(known)];
}

/** Who the student is, and what they hold now. */
export async function studentFacts(api: Api, email: string): Promise<string[]> {
  return studentLines(email, await readStudentOrders(api, email));
}

/** Who the student is, and which orders lose the course. */
export async function courseLoss(api: Api, email: string, courseId: number): Promise<string[]> {
  const known = await readStudentOrders(api, email);
  const orders = known.orders.map(soldOrder);
  return [...studentLines(email, known), ...lossLines(`course ${courseId}`, orders, [productRef('course', courseId)])];
}

/** The number of products in a bundle; undefined if the API does not show it. */
async function productCount(api: Api, bundle_id: number): Promise<number | undefined> {
  const reading = api.call(getBundle, { bundle_id });
  return await reading.then(
    ({ product_count }) => product_count,
    (error: unknown) => {
      if (error instanceof AcademyError && error.code !== 'rate_limited') return undefined;
      throw error;
    },
  );
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
export async function bundleLoss(api: Api, email: string, bundleId: number): Promise<string[]> {
  const [known, count] = await Promise.all([readStudentOrders(api, email), productCount(api, bundleId)]);
  const orders = known.orders.map(soldOrder);
  const contents = productsBesideBundle(orders, bundleId);
  const refs = [productRef('bundle', bundleId), ...contents.map(({ ref }) => ref)];
  const named = contents.map(productNamed).join(', ') || 'none';
  return [
    ...studentLines(email, known),
    ...lossLines(`bundle ${bundleId}, or what orders show of its contents`, orders, refs),
    `Orders with the bundle list: ${named}.`,
    contentsLine(bundleId, contents.length, count),
  ];
}

/** The progress in percent now: what a reset deletes. */
export async function progressFacts(api: Api, email: string, courseId: number, title?: string): Promise<string[]> {
  const { course_completion_percent: percent } = await api.call(getCourseCompletion, {
    course_id: courseId,
    user_email: email,
  });
  const course = called('course', courseId, title);
  return [
    percent === undefined
      ? `The API does not show the progress in ${course}.`
      : `Completed of ${course} now: ${percent}%.`,
  ];
}

/** The most courses of a bundle to read progress for: each is a request. */
export const maxCourses = 20;

/** The courses that orders show beside a bundle. */
export function coursesBesideBundle({ orders }: Pick<StudentOrders, 'orders'>, bundleId: number) {
  return productsBesideBundle(orders.map(soldOrder), bundleId).filter(({ kind }) => kind === 'course');
}

/** Who the student is, and their progress in each known course of the bundle. */
export async function bundleProgressFacts(api: Api, email: string, bundleId: number): Promise<string[]> {
  const [known, count] = await Promise.all([readStudentOrders(api, email), productCount(api, bundleId)]);
  const courses = coursesBesideBundle(known, bundleId);
  const checked = courses.slice(0, maxCourses);
  const each = await Promise.all(checked.map(({ id, title }) => progressFacts(api, email, id, title)));
  const rest = courses.slice(maxCourses).map((course) => `Not read: the progress in ${productNamed(course)}.`);
  const shown = productsBesideBundle(known.orders.map(soldOrder), bundleId).length;
  const unknown =
    courses.length === 0
      ? ['No order shows which courses the bundle holds, so the progress that would be lost is not known.']
      : [];
  const said =
    count === undefined ? 'does not say how many products it holds' : `says that it holds ${counted(count, 'product')}`;
  const extent = `The API never lists what a bundle holds: orders show ${counted(shown, 'product')} beside it, and the bundle ${said}. Progress in a course that no order shows is deleted too.`;
  return [...studentLines(email, known), ...each.flat(), ...rest, ...unknown, extent];
}

export async function roleFacts(api: Api, roleId: number): Promise<string[]> {
  const { items } = await api.call(listRoles, {});
  const role = items.find(({ id }) => id === roleId);
  const name = role === undefined ? 'is not in the list of roles' : `is ${quotedName(role.name ?? '', 100)}`;
  return [`Role ${roleId} ${name}. The API does not show which roles a student has.`];
}

/** Reads several groups of facts at the same time. */
export async function together(...facts: Promise<string[]>[]): Promise<string[]> {
  return (await Promise.all(facts)).flat();
}
