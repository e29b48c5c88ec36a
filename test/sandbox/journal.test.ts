import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { enroll, everything, lines } from '../support/journal.ts';
import { startReceiver } from '../support/receiver.ts';
import { call, start, temporaryFile } from '../support/sandbox.ts';

const now = new Date('2026-03-01T09:00:00Z');

/** One write of each kind that a journal can hold. */
async function writeMuch(sandbox: Sandbox): Promise<void> {
  const lesson = sandbox.academy.lessons.all()[0];
  const course = lesson?.course_id;
  const answers = [
    await enroll(sandbox, 'ana', { course_id: course }),
    await call(sandbox, 'POST', '/api/v1/community/channels', { channel: { name: 'Journal' } }),
    await call(sandbox, 'POST', `/api/v1/courses/${course}/lessons`, { title: 'Journal', module_id: null }),
    await call(sandbox, 'PATCH', `/api/v1/lessons/${lesson?.id}`, { title: 'Renamed', points: '7' }),
    await call(sandbox, 'PUT', '/api/v1/community/channels/journal', { channel: { locked: true } }),
    await call(sandbox, 'POST', '/api/v1/student/revoke-course', {
      email: 'ana@example.com',
      name: 'ana',
      course_id: course,
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 201, 201, 200, 200, 200]);
}

test('every answered write survives a restart, byte for byte', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data });
  await writeMuch(first);
  const before = await everything(first);
  await first.close();
  expect(await everything(await start({ data }))).toEqual(before);
});

test('a write is in the journal before its response is sent', async () => {
  const data = await temporaryFile('journal.jsonl');
  const sandbox = await start({ data });
  await enroll(sandbox, 'ana');
  const [header, entry, ...rest] = (await lines(data)).map((line) => JSON.parse(line));
  expect(header).toMatchObject({ journal: 1, account: 'demo', seed: 1, students: 20, orders: 40 });
  expect(entry).toMatchObject({ account: 'demo', operation: 'access.enrollStudent' });
  expect(entry.input).toEqual({ email: 'ana@example.com', name: 'ana' });
  expect(rest).toEqual([]);
});

test('reads, rejected writes and writes without a key are not in the journal', async () => {
  const data = await temporaryFile('journal.jsonl');
  const sandbox = await start({ data });
  await everything(sandbox);
  const course = sandbox.academy.lessons.all()[0]?.course_id;
  const [buyer] = sandbox.academy.students.all();
  const completion = `/api/v1/courses/${course}/completion-percentage`;
  expect((await call(sandbox, 'POST', completion, { user_email: buyer?.email })).status).toBe(200);
  expect((await enroll(sandbox, 'ana', { course_id: 99_999_999 })).status).toBe(404);
  expect((await enroll(sandbox, 'no address')).status).toBe(422);
  await call({ ...sandbox, apiKey: 'wrong' }, 'POST', '/api/v1/student/enroll', { email: 'a@example.com', name: 'A' });
  expect(await lines(data)).toHaveLength(1);
});

test('concurrent writes are all in the journal, in order', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data });
  await Promise.all(Array.from({ length: 60 }, (_, index) => enroll(first, `user${index}`)));
  const students = first.academy.students.all().map(({ id, email }) => `${id} ${email}`);
  await first.close();
  const second = await start({ data });
  expect(second.academy.students.all().map(({ id, email }) => `${id} ${email}`)).toEqual(students);
});

test('the seeded data keep their times, and the clock never starts before the last write', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data, now });
  await enroll(first, 'ana');
  const before = await everything(first);
  const last = first.academy.now();
  await first.close();
  const second = await start({ data, now: new Date('2020-01-01T00:00:00Z') });
  expect(await everything(second)).toEqual(before);
  const created = JSON.parse((await lines(data))[1] ?? '').at;
  expect(second.academy.now().getTime()).toBeGreaterThanOrEqual(Date.parse(created));
  expect(second.academy.now().getTime()).toBeLessThan(last.getTime() + 3_600_000);
});

test('a replay sends no events', async () => {
  const data = await temporaryFile('journal.jsonl');
  const target = await startReceiver();
  const webhooks = [{ event: 'new_student' as const, url: target.url }];
  const first = await start({ data, webhooks });
  await enroll(first, 'ana');
  await expect.poll(() => target.deliveries.length).toBe(1);
  await first.close();
  await enroll(await start({ data, webhooks }), 'ben');
  await expect.poll(() => target.deliveries.length).toBe(2);
  expect(target.deliveries.map(({ body }) => (body as { name: string }).name)).toEqual(['ana', 'ben']);
});

test('a reset remains after its course becomes protected', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data });
  const course = first.academy.lessons.all()[0]?.course_id ?? 0;
  const [student] = first.academy.students.all();
  const reset = (sandbox: Sandbox) =>
    call(sandbox, 'POST', '/api/v1/student/reset-course-progress', { email: student?.email, course_id: course });
  expect((await reset(first)).status).toBe(200);
  await first.close();
  const second = await start({ data, protectedCourses: [course] });
  expect((await reset(second)).status).toBe(403);
});

test('simulated activity is in the journal and replayed', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data, activity: 6000 });
  await expect.poll(async () => (await lines(data)).length, { timeout: 10_000 }).toBeGreaterThan(100);
  await first.close();
  const names = new Set((await lines(data)).slice(1).map((line) => JSON.parse(line).operation));
  for (const name of names) expect(name).toMatch(/^activity\./);
  const second = await start({ data });
  expect(records(second)).toEqual(records(first));
});

/** The state in memory after a close. */
function records({ academy }: Sandbox): unknown {
  const { answers, projectPosts, students, orders, activityCount } = academy;
  return {
    answers: answers.all(),
    posts: projectPosts.all(),
    students: students.all(),
    orders: orders.find({ status: 'all' }),
    activityCount,
  };
}
