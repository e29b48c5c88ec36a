import { expect, test } from 'vitest';
import { type Academy, at, expectError, row, rows, startAcademy, the, words } from '../support/academy.ts';
import { everyOrder, ordersOf } from './enrollments.ts';

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
