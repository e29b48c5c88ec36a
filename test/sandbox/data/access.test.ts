import { expect, test } from 'vitest';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import type { Academy } from '../../../src/sandbox/state/academy.ts';
import { courseCompletion, heldCourses } from '../../../src/sandbox/state/held-products.ts';
import { laterThatDay, makeAcademy, recordEvents, rejection, required } from './make-academy.ts';

const email = 'ada@example.org';
const ada = { email, name: 'Ada Example' };

function enroll(academy: Academy, products: { course_id?: number; bundle_id?: number }) {
  handlers['access.enrollStudent']({ ...ada, ...products }, academy);
  return required(academy.students.withEmail(email));
}

function ordersOf(academy: Academy) {
  return academy.orders.ofStudent(required(academy.students.withEmail(email)).id);
}

test('enrolling a new student returns success and emits new_student, then new_order', () => {
  const academy = makeAcademy();
  const emitted = recordEvents(academy);
  expect(handlers['access.enrollStudent']({ ...ada, course_id: 7 }, academy)).toEqual({ success: true });
  expect(emitted.map(({ name }) => name)).toEqual(['new_student', 'new_order']);
  expect(emitted[0]?.payload).toEqual({ id: academy.students.size, ...ada });
  const order = handlers['orders.getOrder']({ order_id: required(ordersOf(academy)[0]).id }, academy);
  expect(emitted[1]?.payload).toEqual(order);
});

test('an order of granted access has amount 0, is paid, and is described as granted', () => {
  const academy = makeAcademy();
  enroll(academy, { course_id: 7 });
  expect(ordersOf(academy)).toMatchObject([
    {
      amount: '0.00',
      status: 'paid',
      user_email: email,
      description: 'Granted access: Data Analysis with SQL',
      courses: [7],
      bundles: [],
      created_at: laterThatDay.getTime(),
    },
  ]);
});

test('a course and a bundle become two orders, and that of the bundle lists its products', () => {
  const academy = makeAcademy();
  const emitted = recordEvents(academy);
  enroll(academy, { course_id: 7, bundle_id: 3 });
  const bundle = required(academy.catalogue.bundles.get(3));
  expect(ordersOf(academy)).toMatchObject([
    { courses: [7], bundles: [], digital_products: [] },
    { courses: bundle.course_ids, bundles: [3], digital_products: bundle.digital_product_ids },
  ]);
  expect(emitted.map(({ name }) => name)).toEqual(['new_student', 'new_order', 'new_order']);
});

test('a second enrollment renames the student, matches the email in any case, and creates no second student', () => {
  const academy = makeAcademy();
  const { id } = enroll(academy, {});
  const emitted = recordEvents(academy);
  handlers['access.enrollStudent']({ email: 'ADA@example.org', name: 'Ada Renamed', course_id: 1 }, academy);
  expect(academy.students.withEmail(email)).toMatchObject({ id, name: 'Ada Renamed', email });
  expect(emitted.map(({ name }) => name)).toEqual(['new_order']);
  handlers['access.enrollStudent']({ email }, academy);
  expect(academy.students.withEmail(email)?.name).toBe('Ada Renamed');
});

test('enrolling a new student without a name is 422, and a rejected enrollment changes nothing', () => {
  const academy = makeAcademy();
  const emitted = recordEvents(academy);
  const before = academy.orders.size;
  const enroll = handlers['access.enrollStudent'];
  expect(rejection(() => enroll({ email, course_id: 1 }, academy))).toMatchObject({
    status: 422,
    code: 'invalid_parameter',
  });
  expect(rejection(() => enroll({ ...ada, course_id: 1, bundle_id: 99 }, academy))).toMatchObject({ status: 404 });
  expect(rejection(() => enroll({ ...ada, course_id: 99 }, academy))).toMatchObject({ status: 404 });
  expect(academy.students.withEmail(email)).toBeUndefined();
  expect(academy.orders.size).toBe(before);
  expect(emitted).toEqual([]);
});

test('unenroll clears only paying_student, and enroll sets it again', () => {
  const academy = makeAcademy();
  const student = enroll(academy, { course_id: 1 });
  const before = { ...student };
  handlers['access.unenrollStudent']({ email: 'Ada@Example.org', name: 'Not the name' }, academy);
  expect(student).toEqual({ ...before, paying_student: false });
  expect(heldCourses(academy, student.id)).toEqual([1]);
  enroll(academy, {});
  expect(student.paying_student).toBe(true);
});

test('revoke-course removes the course from every order, including orders of a bundle, and keeps progress', () => {
  const academy = makeAcademy();
  enroll(academy, { course_id: 1 });
  const { id } = enroll(academy, { course_id: 1, bundle_id: 1 });
  academy.progress.complete(id, 1, 1001);
  handlers['access.revokeCourse']({ ...ada, course_id: 1 }, academy);
  expect(ordersOf(academy).map(({ courses }) => courses)).toEqual([[], [], [7, 9]]);
  expect(ordersOf(academy).map(({ bundles }) => bundles)).toEqual([[], [], [1]]);
  expect(heldCourses(academy, id)).toEqual([7, 9]);
  expect(courseCompletion(academy, id, 1)).toBe(0);
  expect(academy.progress.completed(id, 1)).toEqual([1001]);
});

test('revoke-bundle removes the bundle, its courses and its digital products from all orders', () => {
  const academy = makeAcademy();
  const { id } = enroll(academy, { course_id: 7 });
  enroll(academy, { course_id: 5, bundle_id: 1 });
  handlers['access.revokeBundle']({ email, bundle_id: 1 }, academy);
  expect(ordersOf(academy)).toMatchObject([
    { courses: [], bundles: [] },
    { courses: [5], bundles: [] },
    { courses: [], bundles: [], digital_products: [] },
  ]);
  expect(heldCourses(academy, id)).toEqual([5]);
});

test('a revocation does not change other students or orders without the product', () => {
  const academy = makeAcademy();
  const others = academy.orders.all().map((order) => ({ ...order }));
  enroll(academy, { course_id: 5 });
  const untouched = { ...required(ordersOf(academy)[0]) };
  handlers['access.revokeCourse']({ ...ada, course_id: 1 }, academy);
  handlers['access.revokeBundle']({ email, bundle_id: 1 }, academy);
  expect(ordersOf(academy)).toEqual([untouched]);
  expect(academy.orders.all().slice(0, others.length)).toEqual(others);
});

test('granting or revoking a role twice is the same as once', () => {
  const academy = makeAcademy();
  const student = enroll(academy, {});
  handlers['access.grantRole']({ email, role_id: 2 }, academy);
  handlers['access.grantRole']({ email, role_id: 2 }, academy);
  expect(student.role_ids).toEqual([2]);
  handlers['access.revokeRole']({ email, role_id: 2 }, academy);
  handlers['access.revokeRole']({ email, role_id: 2 }, academy);
  expect(student.role_ids).toEqual([]);
});

test('a reset sets the completion of a course, or of each course of a bundle, to 0', () => {
  const academy = makeAcademy();
  const { id } = enroll(academy, { bundle_id: 1 });
  const percent = () => [1, 7, 9].map((course) => courseCompletion(academy, id, course));
  for (const course of [1, 7, 9]) academy.progress.set(id, course, [...academy.lessons.publishedIds(course)]);
  expect(percent()).toEqual([100, 100, 100]);
  handlers['access.resetCourseProgress']({ email, course_id: 7 }, academy);
  expect(percent()).toEqual([100, 0, 100]);
  handlers['access.resetBundleProgress']({ email, bundle_id: 1 }, academy);
  expect(percent()).toEqual([0, 0, 0]);
});

test('a protected course cannot be reset, alone or in a bundle', () => {
  const academy = makeAcademy({ protectedCourses: [9] });
  const { id } = enroll(academy, { bundle_id: 1 });
  for (const course of [1, 9]) academy.progress.set(id, course, [...academy.lessons.publishedIds(course)]);
  const resets = [
    () => handlers['access.resetCourseProgress']({ email, course_id: 9 }, academy),
    () => handlers['access.resetBundleProgress']({ email, bundle_id: 1 }, academy),
  ];
  for (const reset of resets) expect(rejection(reset)).toMatchObject({ status: 403, code: 'forbidden' });
  expect([1, 9].map((course) => courseCompletion(academy, id, course))).toEqual([100, 100]);
});

const unknowns: [string, (academy: Academy) => unknown][] = [
  ['unenroll: email', (academy) => handlers['access.unenrollStudent']({ ...ada, email: 'no@example.org' }, academy)],
  ['revoke-course: course', (academy) => handlers['access.revokeCourse']({ ...ada, course_id: 99 }, academy)],
  ['revoke-bundle: bundle', (academy) => handlers['access.revokeBundle']({ email, bundle_id: 99 }, academy)],
  ['grant-role: role', (academy) => handlers['access.grantRole']({ email, role_id: 99 }, academy)],
  ['revoke-role: role', (academy) => handlers['access.revokeRole']({ email, role_id: 99 }, academy)],
  ['reset-course-progress: course', (a) => handlers['access.resetCourseProgress']({ email, course_id: 99 }, a)],
  ['reset-bundle-progress: bundle', (a) => handlers['access.resetBundleProgress']({ email, bundle_id: 99 }, a)],
];

test.each(unknowns)('unknown %s is 404', (_name, work) => {
  const academy = makeAcademy();
  enroll(academy, {});
  expect(rejection(() => work(academy))).toMatchObject({ status: 404, code: 'not_found' });
});
