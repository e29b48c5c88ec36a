import { expect, test } from 'vitest';
import { type Academy, at, expectError, type Row, startAcademy, under } from '../support/academy.ts';

/** The student that the access tests enroll. No seeded student has this email. */
const email = 'new+student@example.org';

const detailsPath = (of: string): string => `/api/v1/students/details?email=${encodeURIComponent(of)}`;

const details = async (academy: Academy, of: string): Promise<Row> =>
  under(await academy.read(detailsPath(of)), 'student');

const ordersOf = async (academy: Academy, of: string): Promise<Row[]> =>
  (await academy.list('/api/v1/orders?status=all')).filter(({ user_email }) => user_email === of);

const enroll = (academy: Academy, subject: Row) =>
  academy.write('POST', '/api/v1/student/enroll', { email, name: 'New Student', ...subject });

async function subjects(academy: Academy): Promise<{ course: Row; other: Row; bundle: Row }> {
  const courses = await academy.list('/api/v1/courses');
  const bundles = await academy.list('/api/v1/bundles');
  return { course: at(courses, 0), other: at(courses, 1), bundle: at(bundles, 0) };
}

/** Ids of existing records, after enrolling the student: so a rejection can only be about the tested field. */
async function realIds(academy: Academy): Promise<Row> {
  const { course, bundle } = await subjects(academy);
  const role = at(await academy.list('/api/v1/courses/roles'), 0);
  await enroll(academy, {});
  return { course_id: course.id, bundle_id: bundle.id, role_id: role.id };
}

test('enroll creates a student who needs a name', async () => {
  const academy = await startAcademy();
  expectError(await academy.send('POST', '/api/v1/student/enroll', { email }), 422);
  expectError(await academy.send('GET', detailsPath(email)), 404);
  await academy.write('POST', '/api/v1/student/enroll', { email, name: 'New Student' });
  expect(await details(academy, email)).toMatchObject({ email, name: 'New Student' });
  expect(await ordersOf(academy, email)).toEqual([]);
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

test('a role is granted and revoked, by JSON and by form, and again without effect', async () => {
  const academy = await startAcademy();
  await enroll(academy, {});
  const role = at(await academy.list('/api/v1/courses/roles'), 0);
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

test.each(Object.entries(required))(
  '%s needs each of its parameters, of a known student and known ids',
  async (name, fields) => {
    const academy = await startAcademy();
    const known = { ...fields, ...(await realIds(academy)) };
    const body = Object.fromEntries(Object.keys(fields).map((key) => [key, known[key]]));
    const path = `/api/v1/student/${name}`;
    for (const field of Object.keys(fields)) {
      const { [field]: _left, ...rest } = body;
      expectError(await academy.send('POST', path, rest), 422);
      if (!field.endsWith('_id')) continue;
      expectError(await academy.send('POST', path, { ...body, [field]: 99999999 }), 404, 'not_found');
    }
    expectError(await academy.send('POST', path, { ...body, email: 'nobody@example.invalid' }), 404, 'not_found');
  },
);
