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
  whole,
  words,
} from '../support/academy.ts';
import { differences, studentShape } from '../support/shapes.ts';

test('students are listed 50 per page with their fields, without overlap or gap', async () => {
  const academy = await startAcademy({ students: 120 });
  const first = await academy.read('/api/v1/students');
  expect(Object.keys(first).sort()).toEqual(['meta', 'students']);
  expect(first).toEqual(await academy.read('/api/v1/students?page=1'));
  expect(rows(first.students)).toHaveLength(50);
  expect(row(first.meta)).toMatchObject({ total_pages: expect.any(Number), total_students: expect.any(Number) });
  const total = whole(row(first.meta).total_students);
  expect(total).toBeGreaterThanOrEqual(120);
  expect(row(first.meta).total_pages).toBe(Math.ceil(total / 50));
  const all = await everyStudent(academy);
  expect(new Set(all.map(({ id }) => id)).size).toBe(total);
  for (const student of all) expect(differences(student, studentShape)).toEqual([]);
});

test('the page size of students is fixed, and a page after the last is empty', async () => {
  const academy = await startAcademy({ students: 120 });
  expect(await academy.list('/api/v1/students?page=1&per_page=5')).toHaveLength(50);
  const { students, meta } = await academy.read('/api/v1/students?page=9999');
  expect(students).toEqual([]);
  expect(whole(row(meta).total_students)).toBeGreaterThanOrEqual(120);
});

test('student details have the attributes, the flags, both counts, paid orders and courses', async () => {
  const academy = await startAcademy();
  const email = words(at(await academy.list('/api/v1/orders'), 0).user_email);
  const details = await detailsOf(academy, email);
  const student = the(await everyStudent(academy), 'buyer', (one) => one.email === details.email);
  expect(details).toMatchObject(student);
  expect(details.paying_student).toBeTypeOf('boolean');
  expect(details.total_completion).toBeTypeOf('number');
  for (const count of [/view/, /completions/]) {
    expect(whole(fieldLike(details, count))).toBeGreaterThanOrEqual(0);
  }
  for (const list of [/orders/, /courses/]) expect(rows(fieldLike(details, list)).length).toBeGreaterThan(0);
});

test('the details list the paid orders of the student, whatever the case of the email', async () => {
  const academy = await startAcademy();
  const all = await academy.list('/api/v1/orders?status=all');
  const unpaid = the(all, 'order that is not paid', ({ status }) => status === 'failed');
  for (const email of [unpaid.user_email, at(all, 0).user_email].map(words)) {
    const orders = rows(fieldLike(await detailsOf(academy, email), /orders/));
    const paid = all.filter((order) => sameEmail(order, email) && order.status === 'paid');
    expect(orders.map(({ id }) => id).sort()).toEqual(paid.map(({ id }) => id).sort());
  }
});

test('student details require the email of an existing student', async () => {
  const academy = await startAcademy();
  expectError(await academy.send('GET', '/api/v1/students/details'), 422);
  expectError(await academy.send('GET', '/api/v1/students/details?email='), 422);
  const path = '/api/v1/students/details?email=nobody%2Bplus%40example.invalid';
  expectError(await academy.send('GET', path), 404, 'not_found');
});

test.each(['answers', 'project-posts'])('all %s are listed', async (name) => {
  const academy = await startAcademy();
  const records = await academy.list(`/api/v1/students/${name}`);
  expect(records.length).toBeGreaterThan(0);
  for (const record of records) expect(record.email ?? record.student_email ?? record.student).toBeDefined();
});

const sameEmail = ({ user_email }: Row, email: string): boolean =>
  words(user_email).toLowerCase() === email.toLowerCase();

const detailsOf = async (academy: Academy, email: string): Promise<Row> =>
  under(await academy.read(`/api/v1/students/details?email=${encodeURIComponent(email)}`), 'student');

/** The value under a key like this: the document does not name the keys of student details. */
const fieldLike = (record: Row, key: RegExp): unknown =>
  the(Object.entries(record), `field like ${key}`, ([name]) => key.test(name))[1];

async function everyStudent(academy: Academy): Promise<Row[]> {
  const { meta } = await academy.read('/api/v1/students');
  const pages = Array.from({ length: whole(row(meta).total_pages) }, (_, index) => index + 1);
  const bodies = await Promise.all(pages.map((page) => academy.read(`/api/v1/students?page=${page}`)));
  return bodies.flatMap(({ students }) => rows(students));
}
