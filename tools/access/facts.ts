import type * as z from 'zod';
import type { Api } from '../../src/api/client.ts';
import { pages } from '../../src/api/paginate.ts';
import { oneLine } from '../../src/clean.ts';
import type { Tolerant } from '../../src/contract/answer.ts';
import { getCourseCompletion, listRoles } from '../../src/contract/courses.ts';
import { listOrders, type order } from '../../src/contract/orders.ts';
import { getStudentDetails } from '../../src/contract/students.ts';
import { isGranted } from '../orders/order-row.ts';

// What a person should know before they take something away from a student. Names are what people typed: each is
// one short line, and said to be theirs.

type Order = Tolerant<z.infer<typeof order>>;
type Details = Tolerant<z.infer<(typeof getStudentDetails)['response']['schema']>>;

const mostNamed = 8;

function named(items: readonly { id?: number | undefined; title?: string | undefined }[]): string {
  const names = items.slice(0, mostNamed).map(({ id, title = '' }) => `${id ?? '?'} "${oneLine(title, 60)}"`);
  const more = items.length > mostNamed ? ` and ${items.length - mostNamed} more` : '';
  return names.length === 0 ? 'none' : `${names.join(', ')}${more}`;
}

function describeStudent(email: string, { name, created_at, paying_student, completion_percent }: Details): string {
  const facts = [
    ...(created_at === undefined ? [] : [`since ${created_at.slice(0, 10)}`]),
    ...(paying_student === undefined ? [] : [`paying_student ${paying_student}`]),
    ...(completion_percent === undefined ? [] : [`${completion_percent}% of everything completed`]),
  ];
  return `Student: "${oneLine(name ?? '', 100)}" <${email}>${facts.length > 0 ? `, ${facts.join(', ')}` : ''}.`;
}

/** Who the student is, and what they hold now. */
export async function studentFacts(api: Api, email: string): Promise<string[]> {
  const details = await api.call(getStudentDetails, { email });
  const { enrolled_courses: courses } = details;
  const holds = courses === undefined ? [] : [`Holds ${courses.length} courses now: ${named(courses)}.`];
  return [describeStudent(email, details), ...holds];
}

async function ordersOf(api: Api, email: string): Promise<Order[]> {
  const found: Order[] = [];
  const filter = { user_email: email, status: 'all', page: 1, per_page: 100 } as const;
  for await (const page of pages(api, listOrders, filter)) found.push(...page.items);
  return found;
}

function describeOrder(held: Order): string {
  const { id = '?', amount = '?', currency = '', created_at = '' } = held;
  return `${id} (${isGranted(held) ? 'granted' : `bought for ${amount} ${currency}`}, ${created_at.slice(0, 10)})`;
}

function lossLine(what: string, orders: readonly Order[]): string {
  if (orders.length === 0) return `No order of the student lists ${what} now.`;
  const some = orders.slice(0, mostNamed).map(describeOrder).join(', ');
  const more = orders.length > mostNamed ? ` and ${orders.length - mostNamed} more` : '';
  return `Taken off ${orders.length} order(s): ${some}${more}.`;
}

export async function courseLoss(api: Api, email: string, courseId: number): Promise<string[]> {
  const orders = (await ordersOf(api, email)).filter(({ courses }) => courses?.some(({ id }) => id === courseId));
  return [lossLine(`course ${courseId}`, orders)];
}

function uniqueById<Item extends { id?: number | undefined }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
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
  const name = role === undefined ? 'is not in the list of roles' : `is "${oneLine(role.name ?? '', 100)}"`;
  return [`Role ${roleId} ${name}. The API does not show which roles a student has.`];
}

/** Several facts, asked for at the same time. */
export async function together(...facts: Promise<string[]>[]): Promise<string[]> {
  return (await Promise.all(facts)).flat();
}
