import { grantedOrder, placeOrder, registerStudent } from '../activities.ts';
import {
  invalidParameter,
  Problem,
  requireBundle,
  requireCourse,
  requireRole,
  requireStudent,
  type SectionHandlers,
} from '../handler.ts';
import type { Academy } from '../state/academy.ts';
import { removeFromOrders } from '../state/held-products.ts';
import type { OrderItems } from '../state/orders.ts';
import type { StudentRecord } from '../state/students.ts';

const done = { success: true };

export const accessHandlers: SectionHandlers<'access'> = {
  'access.enrollStudent': ({ email, name, course_id, bundle_id }, academy) => {
    // Looks everything up before the first change: a refused request changes nothing.
    const granted: OrderItems[] = [];
    if (course_id !== undefined) granted.push({ courses: [requireCourse(academy, course_id).id] });
    if (bundle_id !== undefined) granted.push({ bundles: [requireBundle(academy, bundle_id).id] });
    const student = enroll(academy, email, name);
    for (const products of granted) placeOrder(academy, student, grantedOrder(academy, products));
    return { ...done };
  },

  'access.unenrollStudent': ({ email }, academy) => {
    requireStudent(academy, email).paying_student = false;
    return { ...done };
  },

  'access.revokeCourse': ({ email, course_id }, academy) => {
    const student = requireStudent(academy, email);
    removeFromOrders(academy, student.id, { courses: [requireCourse(academy, course_id).id] });
    return { ...done };
  },

  'access.revokeBundle': ({ email, bundle_id }, academy) => {
    const student = requireStudent(academy, email);
    const { id, course_ids, digital_product_ids } = requireBundle(academy, bundle_id);
    const removal = { bundles: [id], courses: course_ids, digital_products: digital_product_ids };
    removeFromOrders(academy, student.id, removal);
    return { ...done };
  },

  'access.grantRole': ({ email, role_id }, academy) => {
    const student = requireStudent(academy, email);
    const { id } = requireRole(academy, role_id);
    if (!student.role_ids.includes(id)) student.role_ids = [...student.role_ids, id];
    return { ...done };
  },

  'access.revokeRole': ({ email, role_id }, academy) => {
    const student = requireStudent(academy, email);
    const { id } = requireRole(academy, role_id);
    student.role_ids = student.role_ids.filter((held) => held !== id);
    return { ...done };
  },

  'access.resetCourseProgress': ({ email, course_id }, academy) => {
    const student = requireStudent(academy, email);
    resetCourses(academy, student, [requireCourse(academy, course_id).id]);
    return { ...done };
  },

  'access.resetBundleProgress': ({ email, bundle_id }, academy) => {
    const student = requireStudent(academy, email);
    resetCourses(academy, student, requireBundle(academy, bundle_id).course_ids);
    return { ...done };
  },
};

function enroll(academy: Academy, email: string, name: string | undefined): StudentRecord {
  const student = academy.students.withEmail(email);
  if (student !== undefined) {
    // Sets paying_student again: the API has no other way to undo an unenrollment.
    return Object.assign(student, { enrolled: true, paying_student: true, ...(name === undefined ? {} : { name }) });
  }
  if (name === undefined) throw invalidParameter('name: required for a new student');
  return registerStudent(academy, { email, name });
}

function resetCourses(academy: Academy, student: StudentRecord, courseIds: readonly number[]): void {
  if (courseIds.some((id) => academy.settings.protectedCourses.includes(id))) {
    throw new Problem(403, 'forbidden', 'This user may not reset the progress of this course');
  }
  for (const courseId of courseIds) academy.progress.reset(student.id, courseId);
}
