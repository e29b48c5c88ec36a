import { expect, test } from 'vitest';
import { at, expectError, type Row, rows, startAcademy, words } from '../support/academy.ts';
import { details, detailsPath, email, enroll, everyOrder, ordersOf, payingStudent, subjects } from './enrollments.ts';

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
  await academy.write('POST', '/api/v1/student/enroll', { email, name: 'Renamed Student' });
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
  const body = { email: student.email, name: student.name };
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

test('revoke-bundle removes the bundle, its courses and its digital products from the orders', async () => {
  const academy = await startAcademy();
  const { bundle } = await subjects(academy);
  await enroll(academy, { bundle_id: bundle.id });
  await academy.write('POST', '/api/v1/student/revoke-bundle', { email, bundle_id: bundle.id });
  for (const order of await ordersOf(academy, email)) {
    expect(order).toMatchObject({ bundles: [], courses: [], digital_products: [] });
  }
});

test('a role is granted and revoked, by JSON and by form', async () => {
  const academy = await startAcademy();
  await enroll(academy, {});
  const role = at(rows((await academy.read('/api/v1/courses/roles')).roles), 0);
  const form = new URLSearchParams({ email, role_id: String(role.id) });
  await academy.write('POST', '/api/v1/student/grant-role', { email, role_id: role.id });
  await academy.write('POST', '/api/v1/student/revoke-role', form);
});
