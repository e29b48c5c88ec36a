import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';
import { createJournal } from '../../src/sandbox/journal/journal.ts';
import { request } from '../support/academy.ts';
import { startReceiver } from '../support/recorder.ts';
import { bearer, call, start, temporaryFile } from '../support/sandbox.ts';

/** Enrolls `user` at example.com. */
const enroll = (sandbox: Sandbox, user: string, more: object = {}) =>
  call(sandbox, 'POST', '/api/v1/student/enroll', { email: `${user}@example.com`, name: user, ...more });

const has = ({ academy }: Sandbox, user: string) => academy.students.withEmail(`${user}@example.com`) !== undefined;

/** The complete lines of a journal. */
const lines = async (file: string) => (await readFile(file, 'utf8')).split('\n').slice(0, -1);

/** All orders, students, courses and channels that the API shows. */
async function everything(sandbox: Sandbox): Promise<unknown[]> {
  const paths = [
    '/api/v1/orders?status=all',
    '/api/v1/students',
    '/api/v1/community/channels',
    '/api/v1/products?limit=25',
  ];
  const lesson = `/api/v1/courses/${sandbox.academy.lessons.all()[0]?.course_id}/lessons`;
  return Promise.all([...paths, lesson].map(async (path) => (await call(sandbox, 'GET', path)).body));
}

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
  expect([...names]).toEqual(['activity']);
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
    orders: orders.all(),
    activityCount,
  };
}

test('a cut last line is dropped, whatever byte it was cut at, and the journal continues from there', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data });
  await enroll(first, 'kept');
  const kept = (await readFile(data)).length;
  await enroll(first, 'cut');
  await first.close();
  const whole = await readFile(data);
  for (const length of [kept + 1, Math.floor((kept + whole.length) / 2), whole.length - 1]) {
    await writeFile(data, whole.subarray(0, length));
    const second = await start({ data });
    expect([has(second, 'kept'), has(second, 'cut')]).toEqual([true, false]);
    await enroll(second, 'later');
    await second.close();
    expect(await lines(data)).toHaveLength(3);
    const third = await start({ data });
    expect([has(third, 'kept'), has(third, 'later')]).toEqual([true, true]);
    await third.close();
  }
});

/** Starts a sandbox on a journal in a process of its own, and waits for its address. */
async function startProcess(data: string) {
  const script = `import { startSandbox } from './src/sandbox/index.ts';
    console.log((await startSandbox({ data: ${JSON.stringify(data)}, students: 20, orders: 40, rateLimit: 'off' })).url);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script]);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, url: String(await once(child.stdout, 'data')).trim() };
}

test('every answered write survives a kill in the middle of many', async () => {
  const data = await temporaryFile('journal.jsonl');
  const { child, url } = await startProcess(data);
  const answered: string[] = [];
  const write = async (email: string) => {
    const body = { email, name: 'User' };
    const answer = await request(`${url}/api/v1/student/enroll`, 'POST', body, bearer('sandbox-admin-key'));
    if (answer.status === 200 && answered.push(email) === 50) child.kill('SIGKILL');
  };
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let count = 0; count < 100; count += 1) await write(`user-${writer}-${count}@example.com`);
  });
  const ended = once(child, 'exit');
  await Promise.allSettled(writers);
  await ended;
  expect(answered.length).toBeGreaterThanOrEqual(50);
  expect(answered.length).toBeLessThan(800);
  const { academy } = await start({ data });
  expect(answered.filter((email) => academy.students.withEmail(email) === undefined)).toEqual([]);
});

const entry = { at: '2026-03-01T09:00:00.000Z', account: 'demo', operation: 'access.enrollStudent', input: {} };

test('a journal that cannot be written fails, and accepts nothing more', async () => {
  const file = await temporaryFile('journal.jsonl');
  await writeFile(file, '');
  const journal = createJournal(await open(file, 'r'), 0);
  expect(journal.broken).toBe(false);
  await expect(Promise.all([journal.append(entry), journal.append(entry)])).rejects.toThrow('EBADF');
  expect(journal.broken).toBe(true);
  await expect(journal.append(entry)).rejects.toThrow('EBADF');
  await journal.close();
});

test('a cut header is written again', async () => {
  const data = await temporaryFile('journal.jsonl');
  await writeFile(data, '{"journal":1,"acc');
  await enroll(await start({ data }), 'ana');
  expect(await lines(data)).toHaveLength(2);
});

const grantToNobody = { operation: 'access.grantRole', input: { email: 'x@example.com', role_id: 1 } };
const pricedProject = {
  operation: 'products.updateProduct',
  input: { product_type: 'project', id_or_slug: '1', price: '3' },
};

test.each([
  ['invalid JSON', 'nonsense'],
  ['an empty line', ''],
  ['an unknown operation', JSON.stringify({ ...entry, operation: 'a.b' })],
  ['an unknown account', JSON.stringify({ ...entry, account: 'x' })],
  ['invalid input', JSON.stringify(entry)],
  ['an impossible write', JSON.stringify({ ...entry, ...grantToNobody })],
  ['a field that a project does not have', JSON.stringify({ ...entry, ...pricedProject })],
  ['an unknown field', JSON.stringify({ ...entry, more: 1 })],
])('any other invalid line stops the start with an error that names file and line: %s', async (_what, line) => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data });
  await enroll(first, 'ana');
  await first.close();
  await appendFile(data, `${line}\n`);
  const before = await readFile(data, 'utf8');
  await expect(start({ data })).rejects.toThrow(`${data}, line 3: `);
  expect(await readFile(data, 'utf8')).toBe(before);
});

test.each([
  [{ seed: 2 }, 'seed 1'],
  [{ students: 21 }, 'students 20'],
  [{ orders: 41 }, 'orders 40'],
  [{ sequence: 'shift' }, 'sequence absolute'],
] as [SandboxOptions, string][])(
  'a start with %o over another journal fails with the settings of the journal',
  async (options, says) => {
    const data = await temporaryFile('journal.jsonl');
    await (await start({ data })).close();
    await expect(start({ data, ...options })).rejects.toThrow(says);
  },
);

/** The error message of a start. */
async function failure(options: SandboxOptions): Promise<string> {
  return start(options).then(
    () => 'it started',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

test('a sandbox whose journal another one has written to accepts no more writes', async () => {
  const data = await temporaryFile('journal.jsonl');
  const first = await start({ data });
  const second = await start({ data });
  expect((await enroll(second, 'ana')).status).toBe(200);
  expect((await enroll(first, 'ben')).status).toBe(500);
  expect((await enroll(second, 'cem')).status).toBe(200);
  await second.close();
  const third = await start({ data });
  expect(['ana', 'ben', 'cem'].map((user) => has(third, user))).toEqual([true, false, true]);
});

test('an unusable file fails with one line that names the flag and the reason', async () => {
  const file = await temporaryFile('journal.jsonl');
  const folder = dirname(file);
  await mkdir(`${folder}/taken`);
  await writeFile(file, '');
  for (const [data, why] of [
    [`${folder}/none/journal.jsonl`, 'ENOENT'],
    [`${folder}/taken`, 'EISDIR'],
    [`${file}/journal.jsonl`, 'ENOTDIR'],
  ] as const) {
    const message = await failure({ data });
    expect(message).toContain(`--data: cannot use ${data}: ${why}`);
    expect(message).not.toContain('\n');
  }
});
