import type { Api } from '../../src/api/client.ts';
import { type KnownOrder, type KnownStudent, ordersOfStudent } from '../../src/api/student-orders.ts';
import { oneLine } from '../../src/clean.ts';
import { getCourseCompletion, listRoles } from '../../src/contract/courses.ts';
import { isGranted } from '../../src/contract/orders.ts';
import { getStudentDetails } from '../../src/contract/students.ts';
import { counted } from '../../src/mcp/render.ts';

// What a person should know before they take something away from a student. Names are what people typed: each is
// one short line, and said to be theirs.

const mostNamed = 8;

/** A quote within would let a name say what follows it. */
function quoted(name: string, limit: number): string {
  return `"${oneLine(name, limit).replaceAll('"', "'")}"`;
}

function named(items: readonly { id?: number | undefined; title?: string | undefined }[]): string {
  const names = items.slice(0, mostNamed).map(({ id, title = '' }) => `${id ?? '?'} ${quoted(title, 60)}`);
  const more = items.length > mostNamed ? ` and ${items.length - mostNamed} more` : '';
  return names.length === 0 ? 'none' : `${names.join(', ')}${more}`;
}

function describeStudent(
  email: string,
  { name, created_at, paying_student, completion_percent }: KnownStudent,
): string {
  const facts = [
    ...(created_at === undefined ? [] : [`since ${created_at.slice(0, 10)}`]),
    ...(paying_student === undefined ? [] : [`paying_student ${paying_student}`]),
    ...(completion_percent === undefined ? [] : [`${completion_percent}% of everything completed`]),
  ];
  return `Student: ${quoted(name ?? '', 100)} <${email}>${facts.length > 0 ? `, ${facts.join(', ')}` : ''}.`;
}

/** Who the student is, and what they hold now. */
export async function studentFacts(api: Api, email: string): Promise<string[]> {
  const details = await api.call(getStudentDetails, { email });
  const { enrolled_courses: courses } = details;
  const holds =
    courses === undefined
      ? []
      : [
          courses.length === 0
            ? 'Holds no courses now.'
            : `Holds ${counted(courses.length, 'course')} now: ${named(courses)}.`,
        ];
  return [describeStudent(email, details), ...holds];
}

function uniqueById<Item extends { id?: number | string | undefined }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id ?? item, item])).values()];
}

async function ordersOf(api: Api, email: string): Promise<readonly KnownOrder[]> {
  return (await ordersOfStudent(api, email)).orders;
}

function describeOrder(held: KnownOrder): string {
  const { id = '?', amount = '?', currency = '', created_at = '' } = held;
  return `${id} (${isGranted(held.amount) ? 'granted' : `bought for ${amount} ${currency}`}, ${created_at.slice(0, 10)})`;
}

function lossLine(what: string, orders: readonly KnownOrder[]): string {
  if (orders.length === 0) return `No order of the student lists ${what} now.`;
  const some = orders.slice(0, mostNamed).map(describeOrder).join(', ');
  const more = orders.length > mostNamed ? ` and ${orders.length - mostNamed} more` : '';
  return `Taken off ${counted(orders.length, 'order')}: ${some}${more}.`;
}

export async function courseLoss(api: Api, email: string, courseId: number): Promise<string[]> {
  const orders = (await ordersOf(api, email)).filter(({ courses }) => courses?.some(({ id }) => id === courseId));
  return [lossLine(`course ${courseId}`, orders)];
}

/** The courses that the student's orders of a bundle list: the API shows nowhere else what a bundle holds. */
async function bundleCourses(api: Api, email: string, bundleId: number) {
  const orders = (await ordersOf(api, email)).filter(({ bundles }) => bundles?.some(({ id }) => id === bundleId));
  return { orders, courses: uniqueById(orders.flatMap(({ courses = [] }) => courses)) };
}

export async function bundleLoss(api: Api, email: string, bundleId: number): Promise<string[]> {
  const { orders, courses } = await bundleCourses(api, email, bundleId);
  const digital = uniqueById(orders.flatMap(({ digital_products: products = [] }) => products));
  const listed =
    orders.length === 0 ? [] : [`Those orders list courses ${named(courses)}; digital products ${named(digital)}.`];
  return [lossLine(`bundle ${bundleId}`, orders), ...listed];
}

/** Progress in percent, as it stands now: what a reset deletes. */
export async function progressFacts(api: Api, email: string, courseId: number): Promise<string[]> {
  const { course_completion_percent: percent } = await api.call(getCourseCompletion, {
    course_id: courseId,
    user_email: email,
  });
  return [
    percent === undefined
      ? `The API does not show the progress in course ${courseId}.`
      : `Completed of course ${courseId} now: ${percent}%.`,
  ];
}

export async function bundleProgressFacts(api: Api, email: string, bundleId: number): Promise<string[]> {
  const { courses } = await bundleCourses(api, email, bundleId);
  const known = courses.flatMap(({ id }) => (id === undefined ? [] : [id])).slice(0, mostNamed);
  if (known.length === 0)
    return ['No order shows which courses the bundle holds, so the progress that would be lost is not known.'];
  const each = await Promise.all(known.map((id) => progressFacts(api, email, id)));
  const left = courses.length - known.length;
  return [...each.flat(), ...(left > 0 ? [`${left} more courses were not looked at.`] : [])];
}

export async function roleFacts(api: Api, roleId: number): Promise<string[]> {
  const { items } = await api.call(listRoles, {});
  const role = items.find(({ id }) => id === roleId);
  const name = role === undefined ? 'is not in the list of roles' : `is ${quoted(role.name ?? '', 100)}`;
  return [`Role ${roleId} ${name}. The API does not show which roles a student has.`];
}

/** Several facts, asked for at the same time. */
export async function together(...facts: Promise<string[]>[]): Promise<string[]> {
  return (await Promise.all(facts)).flat();
}
