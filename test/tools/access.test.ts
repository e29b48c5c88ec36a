import { expect, test } from 'vitest';
import { at, type Row, rows } from '../support/academy.ts';
import { connectToApi, startAcademy } from '../support/connect.ts';
import { expectApiRefusal, expectRefusal } from '../support/refusal.ts';
import { trueDetails, trueOrders } from '../support/truth.ts';

type Academy = Awaited<ReturnType<typeof startAcademy>>;

const details = ({ sandbox }: Academy, email: string) => trueDetails(sandbox, email);
const ordersOf = ({ sandbox }: Academy, email: string) => trueOrders(sandbox, email);
const titles = (record: Row, list: string) => rows(record[list]).map(({ title }) => title);

/** A new student with granted course 1, bundle 2 and role 3. */
async function enrolled(academy: Academy) {
  const student = { email: 'new.student@example.com', name: 'New Student' };
  const { isError, text } = await academy.call('enroll_student', { ...student, course_id: 1, bundle_id: 2 });
  expect(isError, text).toBe(false);
  await academy.call('grant_role', { email: student.email, role_id: 3 });
  return student;
}

test('enroll_student gives a course and a bundle as two paid orders of amount 0', async () => {
  const academy = await startAcademy();
  const given = { email: 'new.student@example.com', name: 'New Student', course_id: 1, bundle_id: 2 };
  const { structured, text } = await academy.call('enroll_student', given);
  expect(structured).toMatchObject({ outcome: 'applied', email: given.email, course_id: 1, bundle_id: 2 });
  expect(text).toContain('Gave course 1 "Spreadsheets for Busy People" and bundle 2 "Freelancer Starter Pack"');
  const orders = await ordersOf(academy, given.email);
  expect(orders.map(({ amount, status }) => [Number(amount), status])).toEqual([
    [0, 'paid'],
    [0, 'paid'],
  ]);
});

test('enroll_student without a course or bundle creates the student and says that no access was granted', async () => {
  const academy = await startAcademy();
  const { structured } = await academy.call('enroll_student', { email: 'just@example.com', name: 'Just Here' });
  expect(structured).toMatchObject({ outcome: 'applied', email: 'just@example.com' });
  expect(structured?.note).toContain('no access was given');
  expect(await details(academy, 'just@example.com')).toMatchObject({ name: 'Just Here', enrolled_courses: [] });
  expect(await ordersOf(academy, 'just@example.com')).toEqual([]);
});

const email = 'freya.hargreaves@example.net';
const called = { email, name: 'Somebody Else' };

test.each([
  ['enroll_student', { ...called, course_id: 3 }, 'the name was not written: rename: true'],
  ['enroll_student', { ...called, course_id: 3, even_if_held: true }, 'the name was not written: rename: true'],
  ['enroll_student', called, 'the name was not written: rename: true'],
  ['enroll_student', { ...called, email: email.toUpperCase(), course_id: 6 }],
  ['unenroll_student', { ...called, confirm: true }],
  ['revoke_course', { ...called, course_id: 3, confirm: true }],
  ['sync_roster', { students: [called], product: 'course 7', confirm: true }],
] as [string, object, string?][])('%s keeps the name of an existing student: %o', async (tool, args, note = '') => {
  const academy = await startAcademy();
  const { name } = await details(academy, email);
  await academy.call('enroll_student', { email, course_id: 3 });
  const { structured } = await academy.call(tool, { ...args });
  expect(String(structured?.note)).toContain(note);
  expect(await details(academy, email)).toMatchObject({ name });
});

test('enroll_student writes the name of an existing student only if rename is true, and counts the read for it', async () => {
  const academy = await startAcademy();
  const alone = await academy.call('enroll_student', { email, name: 'Somebody Else' });
  expect(alone.structured).toMatchObject({ outcome: 'already_there' });
  expect(alone.meta['academy/budget']).toMatchObject({ requests: 1 });
  const renamed = await academy.call('enroll_student', { email, name: 'Freya Other', rename: true });
  expect(renamed.structured).toMatchObject({ outcome: 'applied' });
  expect(await details(academy, email)).toMatchObject({ name: 'Freya Other' });
  expect((await academy.call('enroll_student', { email, rename: true })).text).toContain('rename needs name');
});

test('enroll_student for a new email without a name sends nothing, and asks for the spelling first', async () => {
  const { sandbox, call } = await startAcademy();
  const answer = await call('enroll_student', { email: 'new.student@example.com', course_id: 1 });
  const text = expectRefusal(answer, 'invalid_input');
  expect(text).toContain('there is no student with the email new.student@example.com; nothing was sent');
  expect(text).toContain('Hint: Check the spelling: list_students finds a student by name.');
  expect(sandbox.academy.students.size).toBe(40);
});

test('the name that unenroll_student and revoke_course need is looked up if it is left out', async () => {
  const academy = await startAcademy();
  const { email } = await enrolled(academy);
  for (const [tool, args] of [
    ['unenroll_student', {}],
    ['revoke_course', { course_id: 1 }],
  ] as const) {
    const { structured, text } = await academy.call(tool, { email, ...args, confirm: true });
    expect(structured, text).toMatchObject({ outcome: 'applied', email });
  }
  expect(await details(academy, email)).toMatchObject({ paying_student: false });
});

test('a student whose name the API does not show is not unenrolled without a name', async () => {
  const { call } = await connectToApi({ body: { id: 1, email: 'ana@example.com' } });
  const answer = await call('unenroll_student', { email: 'ana@example.com', confirm: true });
  expect(expectRefusal(answer, 'invalid_input')).toContain('name is required');
});

test('unenroll_student sets paying_student to false, removes no access and claims no removal', async () => {
  const academy = await startAcademy();
  const student = await enrolled(academy);
  const before = await details(academy, student.email);
  const { structured, text } = await academy.call('unenroll_student', { ...student, confirm: true });
  expect(structured).toMatchObject({ outcome: 'applied', email: student.email });
  expect(text).not.toMatch(/lost|can no longer|access was/);
  const after = await details(academy, student.email);
  expect(after.paying_student).toBe(false);
  expect(titles(after, 'enrolled_courses')).toEqual(titles(before, 'enrolled_courses'));
});

test('revoke_course takes the course off every order and leaves the orders', async () => {
  const academy = await startAcademy();
  const student = await enrolled(academy);
  const { structured } = await academy.call('revoke_course', { ...student, course_id: 1, confirm: true });
  expect(structured).toMatchObject({
    outcome: 'applied',
    email: student.email,
    course_id: 1,
    course_title: 'Spreadsheets for Busy People',
    taken: [{ products: 'course 1', how: 'granted' }],
    verified: true,
    grant_again: 'enroll_student with course_id 1',
  });
  const orders = await ordersOf(academy, student.email);
  expect(orders).toHaveLength(2);
  expect(orders.flatMap(({ courses }) => rows(courses)).map(({ id }) => id)).not.toContain(1);
});

test('grant_role and revoke_role give and take a role', async () => {
  const academy = await startAcademy();
  const { email } = await enrolled(academy);
  const roles = () => academy.sandbox.academy.students.withEmail(email)?.role_ids;
  const granted = await academy.call('grant_role', { email, role_id: 4 });
  const can_undo = 'by hand: revoke_role takes it back';
  expect(granted.structured).toEqual({ outcome: 'applied', email, role_id: 4, role_title: 'Beta tester', can_undo });
  expect(roles()).toEqual([3, 4]);
  const revoked = await academy.call('revoke_role', { email, role_id: 3, confirm: true });
  expect(revoked.structured).toMatchObject({ outcome: 'applied', email, role_id: 3, role_title: expect.any(String) });
  expect(roles()).toEqual([4]);
});

async function progressIn({ call }: Academy, course_id: number, user_email: unknown): Promise<unknown> {
  const { structured } = await call('get_course_completion', { course_id, user_email });
  return structured?.course_completion_percent;
}

/** Somebody who has begun course 1. */
async function beginner(academy: Academy): Promise<string> {
  for (const { email } of academy.sandbox.academy.students.all()) {
    if ((await progressIn(academy, 1, email)) !== 0) return email;
  }
  throw new Error('nobody has begun course 1');
}

test('reset_course_progress deletes the progress in the course and keeps the course', async () => {
  const academy = await startAcademy();
  const email = await beginner(academy);
  const before = await details(academy, email);
  const percent_before = await progressIn(academy, 1, email);
  const { structured } = await academy.call('reset_course_progress', { email, course_id: 1, confirm: true });
  const progress = [{ course_id: 1, percent_before, percent_now: 0 }];
  expect(structured).toMatchObject({ outcome: 'applied', email, course_id: 1, progress, verified: true });
  expect(await progressIn(academy, 1, email)).toBe(0);
  expect(titles(await details(academy, email), 'enrolled_courses')).toEqual(titles(before, 'enrolled_courses'));
});

test('reset_course_progress without permission is forbidden, and deletes nothing', async () => {
  const academy = await startAcademy({ protectedCourses: [1] });
  const email = await beginner(academy);
  const before = await progressIn(academy, 1, email);
  const answer = await academy.call('reset_course_progress', { email, course_id: 1, confirm: true });
  expect(expectApiRefusal(answer, 'forbidden', 403)).toContain('Outcome: not_applied');
  expect(await progressIn(academy, 1, email)).toBe(before);
});

test('reset_bundle_progress deletes the progress in each course of the bundle', async () => {
  const academy = await startAcademy();
  const email = await beginner(academy);
  const bundles = academy.sandbox.academy.catalogue.bundles.all();
  const bundle = at(
    bundles.filter(({ course_ids }) => course_ids.includes(1)),
    0,
  );
  const { structured } = await academy.call('reset_bundle_progress', { email, bundle_id: bundle.id, confirm: true });
  expect(structured).toMatchObject({ outcome: 'applied', email, bundle_id: bundle.id, bundle_title: bundle.title });
  for (const course of bundle.course_ids) expect(await progressIn(academy, course, email)).toBe(0);
});
