import { expect, test } from 'vitest';
import {
  type Academy,
  at,
  expectError,
  type Row,
  row,
  rows,
  startAcademy,
  the,
  under,
  words,
} from '../support/academy.ts';

/** The student that the access tests enroll. No seeded student has this email. */
const email = 'new+student@example.org';

const detailsPath = (of: string): string => `/api/v1/students/details?email=${encodeURIComponent(of)}`;

const details = async (academy: Academy, of: string): Promise<Row> =>
  under(await academy.read(detailsPath(of)), 'student');

const everyOrder = async (academy: Academy): Promise<Row[]> =>
  rows((await academy.read('/api/v1/orders?status=all')).orders);

const ordersOf = async (academy: Academy, of: string): Promise<Row[]> =>
  (await everyOrder(academy)).filter(({ user_email }) => user_email === of);

const enroll = (academy: Academy, subject: Row) =>
  academy.write('POST', '/api/v1/student/enroll', { email, name: 'New Student', ...subject });

async function subjects(academy: Academy): Promise<{ course: Row; other: Row; bundle: Row }> {
  const courses = rows((await academy.read('/api/v1/courses')).courses);
  const bundles = rows((await academy.read('/api/v1/bundles')).bundles);
  return { course: at(courses, 0), other: at(courses, 1), bundle: at(bundles, 0) };
}

/** Ids of existing records, after enrolling the student: so a rejection can only be about the tested field. */
async function realIds(academy: Academy): Promise<Row> {
  const { course, bundle } = await subjects(academy);
  const role = at(rows((await academy.read('/api/v1/courses/roles')).roles), 0);
  await enroll(academy, {});
  return { course_id: course.id, bundle_id: bundle.id, role_id: role.id };
}

async function payingStudent(academy: Academy): Promise<Row> {
  for (const { email: of } of rows((await academy.read('/api/v1/students')).students)) {
    const student = await details(academy, words(of));
    if (student.paying_student === true) return student;
  }
  throw new Error('the seeded data hold no paying student on the first page');
}

test('enroll creates a student who needs a name', async () => {
  const academy = await startAcademy();
  expectError(await academy.send('POST', '/api/v1/student/enroll', { email }), 422);
  expectError(await academy.send('GET', detailsPath(email)), 404);
  await academy.write('POST', '/api/v1/student/enroll', { email, name: 'New Student' });
  expect(await details(academy, email)).toMatchObject({ email, name: 'New Student' });
  expect(await ordersOf(academy, email)).toEqual([]);
});

test('enroll updates an existing student, without a name', async () => {
  const academy = await startAcademy();
  await academy.write('POST', '/api/v1/student/enroll', { email, name: 'New Student' });
  const { id } = await details(academy, email);
  await academy.write('POST', '/api/v1/student/enroll', { email });
  expect(await details(academy, email)).toMatchObject({ id, name: 'New Student' });
  await academy.write('POST', '/api/v1/student/enroll', { email: email.toUpperCase(), name: 'Renamed Student' });
  expect(await details(academy, email)).toMatchObject({ id, name: 'Renamed Student' });
});

test.each(['JSON', 'form'])('enroll in a course by %s creates a paid order of amount 0', async (form) => {
  const academy = await startAcademy();
  const { course } = await subjects(academy);
  const fields = { email, name: 'New Student', course_id: String(course.id) };
  const body = form === 'form' ? new URLSearchParams(fields) : { ...fields, course_id: course.id };
  await academy.write('POST', '/api/v1/student/enroll', body);
  const orders = await ordersOf(academy, email);
  expect(orders).toHaveLength(1);
  expect(orders[0]).toMatchObject({ status: 'paid', user_email: email, user_name: 'New Student' });
  expect(Number(orders[0]?.amount)).toBe(0);
  expect(orders[0]?.courses).toEqual([{ id: course.id, title: course.title }]);
});

test('enroll in a course and a bundle creates two orders of amount 0', async () => {
  const academy = await startAcademy();
  const { course, bundle } = await subjects(academy);
  const body = { email, name: 'New Student', course_id: course.id, bundle_id: bundle.id };
  await academy.write('POST', '/api/v1/student/enroll', body);
  const orders = await ordersOf(academy, email);
  expect(orders.map(({ amount, status }) => [Number(amount), status])).toEqual([
    [0, 'paid'],
    [0, 'paid'],
  ]);
  const ofBundle = orders.filter(({ bundles }) => rows(bundles).length > 0);
  expect(ofBundle).toHaveLength(1);
  expect(rows(ofBundle[0]?.bundles)).toEqual([expect.objectContaining({ id: bundle.id })]);
});

test('a rejected enrollment changes nothing', async () => {
  const academy = await startAcademy();
  const { course } = await subjects(academy);
  const bodies = [
    { email, name: 'New Student', course_id: 99999999 },
    { email, name: 'New Student', course_id: course.id, bundle_id: 99999999 },
  ];
  for (const body of bodies) expectError(await academy.send('POST', '/api/v1/student/enroll', body), 404, 'not_found');
  expectError(await academy.send('GET', detailsPath(email)), 404);
  expect(await ordersOf(academy, email)).toEqual([]);
});

test('unenroll sets only paying_student to false', async () => {
  const academy = await startAcademy();
  const student = await payingStudent(academy);
  const orders = await ordersOf(academy, words(student.email));
  const body = { email: words(student.email).toUpperCase(), name: 'Not the name' };
  await academy.write('POST', '/api/v1/student/unenroll', body);
  expect(await details(academy, words(student.email))).toEqual({ ...student, paying_student: false });
  expect(await ordersOf(academy, words(student.email))).toEqual(orders);
});

test('revoke-course removes the course from each order of that student only', async () => {
  const academy = await startAcademy();
  const { course, other } = await subjects(academy);
  for (const course_id of [course.id, course.id, other.id]) await enroll(academy, { course_id });
  const before = await everyOrder(academy);
  const body = { email, name: 'New Student', course_id: course.id };
  await academy.write('POST', '/api/v1/student/revoke-course', body);
  const courses = (await ordersOf(academy, email)).flatMap((order) => rows(order.courses).map(({ id }) => id));
  expect(courses).toEqual([other.id]);
  const others = (orders: Row[]) => orders.filter(({ user_email }) => user_email !== email);
  expect(others(await everyOrder(academy))).toEqual(others(before));
});

test('revoke-bundle removes the bundle, its courses and its digital products from all orders', async () => {
  const academy = await startAcademy();
  const { course, bundle } = await subjects(academy);
  await enroll(academy, { course_id: course.id });
  await enroll(academy, { bundle_id: bundle.id });
  await academy.write('POST', '/api/v1/student/revoke-bundle', { email, bundle_id: bundle.id });
  for (const order of await ordersOf(academy, email)) {
    expect(order).toMatchObject({ bundles: [], courses: [], digital_products: [] });
  }
});

test('a role is granted and revoked, by JSON and by form, and again without effect', async () => {
  const academy = await startAcademy();
  await enroll(academy, {});
  const role = at(rows((await academy.read('/api/v1/courses/roles')).roles), 0);
  const form = new URLSearchParams({ email, role_id: String(role.id) });
  for (const path of ['grant-role', 'revoke-role']) {
    for (const body of [{ email, role_id: role.id }, form])
      await academy.write('POST', `/api/v1/student/${path}`, body);
  }
});

const required: Record<string, Row> = {
  unenroll: { email, name: 'New Student' },
  'revoke-course': { email, name: 'New Student', course_id: 1 },
  'revoke-bundle': { email, bundle_id: 1 },
  'grant-role': { email, role_id: 1 },
  'revoke-role': { email, role_id: 1 },
  'reset-course-progress': { email, course_id: 1 },
  'reset-bundle-progress': { email, bundle_id: 1 },
};

test.each(Object.entries(required))('%s requires each of its parameters', async (name, fields) => {
  const academy = await startAcademy();
  const known = { ...fields, ...(await realIds(academy)) };
  for (const field of Object.keys(fields)) {
    const { [field]: _left, ...rest } = Object.fromEntries(Object.keys(fields).map((key) => [key, known[key]]));
    expectError(await academy.send('POST', `/api/v1/student/${name}`, rest), 422);
  }
});

test.each(Object.entries(required))('%s rejects an unknown student and an unknown id', async (name, fields) => {
  const academy = await startAcademy();
  const known = { ...fields, ...(await realIds(academy)) };
  const body = Object.fromEntries(Object.keys(fields).map((key) => [key, known[key]]));
  const path = `/api/v1/student/${name}`;
  expectError(await academy.send('POST', path, { ...body, email: 'nobody@example.invalid' }), 404, 'not_found');
  for (const field of Object.keys(fields).filter((key) => key.endsWith('_id'))) {
    expectError(await academy.send('POST', path, { ...body, [field]: 99999999 }), 404, 'not_found');
  }
});

test('reset-course-progress sets the completion of that course to 0', async () => {
  const academy = await startAcademy();
  const { user_email, course_id } = await progress(academy);
  await academy.write('POST', '/api/v1/student/reset-course-progress', { email: user_email, course_id });
  expect(await completion(academy, course_id, user_email)).toBe(0);
});

test('reset-bundle-progress sets the completion of each course of the bundle to 0', async () => {
  const academy = await startAcademy();
  const { user_email, bundle, courses } = await bundleProgress(academy);
  await academy.write('POST', '/api/v1/student/reset-bundle-progress', { email: user_email, bundle_id: bundle });
  for (const course of courses) expect(await completion(academy, course, user_email)).toBe(0);
});

test('a reset without permission is 403 and changes nothing', async () => {
  const { user_email, course_id, before } = await progress(await startAcademy());
  const academy = await startAcademy({ protectedCourses: [Number(course_id)] });
  const path = '/api/v1/student/reset-course-progress';
  expectError(await academy.send('POST', path, { email: user_email, course_id }), 403);
  expect(await completion(academy, course_id, user_email)).toBe(before);
  const { bundle, courses } = await bundleProgress(academy);
  const other = await startAcademy({ protectedCourses: [Number(courses.at(-1))] });
  const ofBundle = { email: user_email, bundle_id: bundle };
  expectError(await other.send('POST', '/api/v1/student/reset-bundle-progress', ofBundle), 403);
});

async function completion(academy: Academy, course: unknown, user_email: string): Promise<number> {
  const path = `/api/v1/courses/${course}/completion-percentage`;
  const { body } = await academy.write('POST', path, { user_email });
  return Number(row(body).course_completion_percent);
}

async function progress(academy: Academy): Promise<{ user_email: string; course_id: unknown; before: number }> {
  for (const order of rows((await academy.read('/api/v1/orders')).orders)) {
    const user_email = words(order.user_email);
    for (const { id: course_id } of rows(order.courses)) {
      const before = await completion(academy, course_id, user_email);
      if (before > 0) return { user_email, course_id, before };
    }
  }
  throw new Error('the seeded data hold no progress');
}

async function bundleProgress(academy: Academy): Promise<{ user_email: string; bundle: unknown; courses: unknown[] }> {
  for (const order of await everyOrder(academy)) {
    if (order.status !== 'paid' || rows(order.bundles).length === 0) continue;
    const bundle = at(rows(order.bundles), 0).id;
    const courses = await coursesOf(academy, bundle);
    const user_email = words(order.user_email);
    for (const course of courses) {
      if ((await completion(academy, course, user_email)) > 0) return { user_email, bundle, courses };
    }
  }
  throw new Error('the seeded data hold no progress in a bundle');
}

/** The courses of a bundle, read from the order of a new student who is granted the bundle. */
async function coursesOf(academy: Academy, bundle_id: unknown): Promise<unknown[]> {
  const newStudent = `bundle-${bundle_id}@example.org`;
  const known = (await ordersOf(academy, newStudent)).length > 0;
  const body = { email: newStudent, name: 'New Student', bundle_id };
  if (!known) await academy.write('POST', '/api/v1/student/enroll', body);
  const order = the(await ordersOf(academy, newStudent), 'order of the bundle', () => true);
  return rows(order.courses).map(({ id }) => id);
}
