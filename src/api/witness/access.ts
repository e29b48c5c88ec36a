import type * as access from '../../contract/access.ts';
import { getCourseCompletion } from '../../contract/courses.ts';
import { isGranted } from '../../contract/orders.ts';
import { getStudentDetails } from '../../contract/students.ts';
import { timeOf } from '../../insights/api-time.ts';
import { readProducts } from '../../insights/listed-products.ts';
import { productRef } from '../../insights/product-ref.ts';
import { unlessAbsent } from '../absent.ts';
import type { Api } from '../client.ts';
import { type KnownOrder, ordersOfStudent } from '../student-orders.ts';
import { cannotTell, notSeen, type Sight, type Witness, type WitnessContext } from './witness.ts';

type Products = 'courses' | 'bundles';

const kinds = { courses: 'course', bundles: 'bundle' } as const;

function holds(order: KnownOrder, list: Products, id: number): boolean {
  return readProducts(order).products.some(({ ref }) => ref === productRef(kinds[list], id));
}

function hasBundle(order: KnownOrder): boolean {
  return readProducts(order).products.some(({ kind }) => kind === 'bundle');
}

/** Without a product the call only writes the student: the name that was sent shows that it did. */
async function studentWritten(api: Api, email: string, name: string | undefined, beforehand: boolean): Promise<Sight> {
  const details = await unlessAbsent(api.call(getStudentDetails, { email }));
  if (details === undefined || (name !== undefined && details.name !== name)) return notSeen;
  // Written again, the student may change in what is not seen: that they are there is no reason not to send.
  return beforehand ? cannotTell : { state: 'seen', where: 'get_student_details' };
}

/** Each product that was asked for has an order of its own: one that came with a bundle is not the course's. */
export const enrolled: Witness<typeof access.enrollStudent> = async (input, { api, since, beforehand }) => {
  const { email, name, course_id: course, bundle_id: bundle } = input;
  if (course === undefined && bundle === undefined) {
    return await studentWritten(api, email, name, beforehand);
  }
  const known = await unlessAbsent(ordersOfStudent(api, email, { since }));
  if (known === undefined) return notSeen;
  const isRecent = ({ created_at }: KnownOrder) => (timeOf(created_at) ?? 0) >= since.getTime();
  const grants = known.orders.filter((order) => isGranted(order.amount) && order.status === 'paid' && isRecent(order));
  const ofCourse = grants.find((grant) => course !== undefined && !hasBundle(grant) && holds(grant, 'courses', course));
  const ofBundle = grants.find((grant) => bundle !== undefined && holds(grant, 'bundles', bundle));
  const isThere = (course === undefined || ofCourse !== undefined) && (bundle === undefined || ofBundle !== undefined);
  // Orders that could not be read may be the very ones.
  if (!isThere) return known.problem === undefined ? notSeen : cannotTell;
  const isEqual = name === undefined || name === known.student.name;
  const what = `an order of amount 0 of ${(ofCourse ?? ofBundle)?.created_at ?? 'just now'}`;
  return { state: 'seen', where: 'list_orders', isEqual, what };
};

export const unenrolled: Witness<typeof access.unenrollStudent> = async ({ email }, { api }) => {
  const paying = (await api.call(getStudentDetails, { email })).paying_student;
  if (paying === undefined) return cannotTell;
  return paying ? notSeen : { state: 'seen', where: 'get_student_details' };
};

/** Not listed by any order is proof only where the orders that give access are known to be all there. */
async function taken(email: string, list: Products, id: number, { api }: WitnessContext): Promise<Sight> {
  const { student, orders, isWhole, problem } = await ordersOfStudent(api, email);
  const isEnrolled = list === 'courses' && student.enrolled_courses?.some((course) => course.id === id);
  if (isEnrolled || orders.some((order) => holds(order, list, id))) return notSeen;
  return isWhole && problem === undefined ? { state: 'seen', where: 'get_student_details' } : cannotTell;
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
