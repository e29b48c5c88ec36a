import type * as z from 'zod';
import type * as access from '../../contract/access.ts';
import type { Tolerant } from '../../contract/answer.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import { listOrders, type order } from '../../contract/orders.ts';
import { getStudentDetails } from '../../contract/students.ts';
import { ApiError } from '../../errors.ts';
import type { Api } from '../client.ts';
import { pages } from '../paginate.ts';
import { cannotTell, notSeen, type Sight, type Witness, type WitnessContext } from './witness.ts';

type Order = Tolerant<z.infer<typeof order>>;
type Products = 'courses' | 'bundles';

function holds(order: Order, list: Products, id: number): boolean {
  return order[list]?.some((product) => product.id === id) ?? false;
}

const isGrant = (order: Order) => Number(order.amount) === 0 && order.status === 'paid';

async function ordersOf(api: Api, email: string, since?: Date): Promise<Order[]> {
  const filter = { user_email: email, status: 'all', page: 1, per_page: 100 } as const;
  const bounds = since === undefined ? {} : { created_after: since.toISOString() };
  const found: Order[] = [];
  for await (const page of pages(api, listOrders, { ...filter, ...bounds })) found.push(...page.items);
  return found;
}

async function detailsOf(api: Api, email: string) {
  return await api.call(getStudentDetails, { email }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'not_found') return undefined;
    throw error;
  });
}

/** Without a product the call updates the student, too: only the name that was sent shows that it did. */
async function studentWritten(api: Api, email: string, name: string | undefined): Promise<Sight> {
  const details = await detailsOf(api, email);
  if (details === undefined) return notSeen;
  return name === undefined || details.name === name ? { state: 'seen', where: 'get_student_details' } : notSeen;
}

/** Each product that was asked for has its own order of amount 0. */
export const enrolled: Witness<typeof access.enrollStudent> = async (input, { api, since, beforehand }) => {
  const { email, name, course_id: course, bundle_id: bundle } = input;
  if (course === undefined && bundle === undefined) {
    return beforehand ? cannotTell : await studentWritten(api, email, name);
  }
  const grants = (await ordersOf(api, email, since)).filter(isGrant);
  const ofCourse = course === undefined || grants.some((grant) => holds(grant, 'courses', course));
  const ofBundle = bundle === undefined || grants.some((grant) => holds(grant, 'bundles', bundle));
  return ofCourse && ofBundle ? { state: 'seen', where: 'list_orders' } : notSeen;
};

export const unenrolled: Witness<typeof access.unenrollStudent> = async ({ email }, { api }) => {
  const paying = (await detailsOf(api, email))?.paying_student;
  if (paying === undefined) return cannotTell;
  return paying ? notSeen : { state: 'seen', where: 'get_student_details' };
};

async function taken(email: string, list: Products, id: number, { api }: WitnessContext): Promise<Sight> {
  const orders = await ordersOf(api, email);
  return orders.some((held) => holds(held, list, id)) ? notSeen : { state: 'seen', where: 'list_orders' };
}

export const courseRevoked: Witness<typeof access.revokeCourse> = ({ email, course_id: id }, context) =>
  taken(email, 'courses', id, context);

export const bundleRevoked: Witness<typeof access.revokeBundle> = ({ email, bundle_id: id }, context) =>
  taken(email, 'bundles', id, context);

export const progressReset: Witness<typeof access.resetCourseProgress> = async (input, { api }) => {
  const { email: user_email, course_id } = input;
  const { course_completion_percent: percent } = await api.call(getCourseCompletion, { course_id, user_email });
  if (percent === undefined) return cannotTell;
  // Above 0 it may still have been reset, and lessons completed since.
  return percent === 0 ? { state: 'seen', where: 'get_course_completion' } : notSeen;
};
