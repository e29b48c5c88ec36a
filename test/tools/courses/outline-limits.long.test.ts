import { expect, test } from 'vitest';
import type { Act } from '../../reliability/fault.ts';
import { answerBytes } from '../../reliability/raw-http.ts';
import { row, rows } from '../../support/academy.ts';
import { connect } from '../../support/connect.ts';
import { codeIn, startBetween } from '../../support/guarded.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { start } from '../../support/sandbox.ts';
import { truth } from '../../support/truth.ts';

type Connection = Awaited<ReturnType<typeof connect>>;

async function lessonIds(sandbox: Awaited<ReturnType<typeof start>>, courseId: number) {
  const { modules, ungrouped_lessons } = await truth(sandbox, `/api/v1/courses/${courseId}/lessons`);
  return [...rows(modules).flatMap(({ lessons }) => rows(lessons)), ...rows(ungrouped_lessons)].map(({ id }) => id);
}

/** All lessons of a course in its first module, the last one first. */
async function reshuffled(sandbox: Awaited<ReturnType<typeof start>>, courseId: number) {
  const { modules } = await truth(sandbox, `/api/v1/courses/${courseId}/lessons`);
  const ids = await lessonIds(sandbox, courseId);
  const outline = {
    modules: rows(modules).map(({ id }, index) => ({
      module_id: id,
      lesson_ids: index === 0 ? ids.toReversed() : [],
    })),
    ungrouped_lesson_ids: [],
  };
  return { ids, question: { course_id: courseId, outline } };
}

async function versionFor({ call }: Pick<Connection, 'call'>, question: object): Promise<unknown> {
  return row((await call('plan_course_outline', { ...question })).structured).base_version;
}

test("forty lessons are reordered within the account's limit, with increasing progress and without a 429", async () => {
  const { sandbox, between, ...connection } = await startBetween({ rateLimit: 60 }, { ACADEMY_RATE_LIMIT: '60' });
  const { ids, question } = await reshuffled(sandbox, 7);
  expect(ids.length).toBeGreaterThanOrEqual(40);
  const base_version = await versionFor(connection, question);
  const told: number[] = [];
  const answer = await connection.client.callTool(
    { name: 'apply_course_outline', arguments: { ...question, base_version, confirm: true } },
    undefined,
    { onprogress: ({ progress }) => void told.push(progress), timeout: 120_000, resetTimeoutOnProgress: true },
  );
  expect(row(answer.structuredContent)).toMatchObject({ verified: true });
  expect(between.log.filter(({ status }) => status === 429)).toEqual([]);
  expect(told.length).toBeGreaterThanOrEqual(35);
  expect(told).toEqual([...told].sort((one, other) => one - other));
  expect(await lessonIds(sandbox, 7)).toEqual(ids.toReversed());
}, 180_000);

test('the question to a person stays the same when the API refuses requests in the meantime', async () => {
  // The writes fit into one minute of the limit, but no longer after a refusal has reduced it.
  const settings = { ACADEMY_RATE_LIMIT: '60', ACADEMY_CONFIRM: 'preview' };
  const { sandbox, between, call } = await startBetween({}, settings);
  const { question } = await reshuffled(sandbox, 7);
  const base_version = await versionFor({ call }, question);
  const plan = async () => {
    const text = expectRefusal(
      await call('apply_course_outline', { ...question, base_version }),
      'confirmation_required',
    );
    return text.replace(codeIn(text), '');
  };
  const before = await plan();
  expect(before).toMatch(/Cost: 4\d requests, less than a minute/);
  const answer = { status: 429, headers: { 'retry-after': '0' }, body: Buffer.from('') };
  const refused: Act = { at: 'body', act: ({ socket }) => socket.write(answerBytes(answer)) };
  between.arm({ name: 'refused', fault: refused });
  expect(await plan()).toBe(before);
});

test('a call that is cancelled stops between two lessons', async () => {
  const { sandbox, between, ...connection } = await startBetween();
  const { question } = await reshuffled(sandbox, 1);
  const base_version = await versionFor(connection, question);
  const leaving = new AbortController();
  let written = 0;
  const count: Act = {
    at: 'body',
    act: async ({ socket, work }) => {
      written += 1;
      if (written === 3) leaving.abort();
      socket.write(answerBytes(await work()));
    },
  };
  between.arm({ name: 'count', fault: count, match: (method) => method === 'PATCH', times: 1_000 });
  const call = connection.client.callTool(
    { name: 'apply_course_outline', arguments: { ...question, base_version, confirm: true } },
    undefined,
    { signal: leaving.signal },
  );
  await expect(call).rejects.toThrow();
  // The request in flight may still arrive; no other follows.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(written).toBeLessThanOrEqual(4);
  const then = written;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(written).toBe(then);
});

test('if the course cannot be read back, the answer says what was written and to plan again', async () => {
  const { sandbox, between, ...connection } = await startBetween();
  const { question } = await reshuffled(sandbox, 14);
  const base_version = await versionFor(connection, question);
  let hasWritten = false;
  const down: Act = {
    at: 'body',
    act: ({ socket }) => {
      socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    },
  };
  const afterWriting = (method: string, path: string) => {
    hasWritten ||= method === 'PATCH';
    return hasWritten && method === 'GET' && path.includes('/lessons');
  };
  between.arm({ name: 'down', fault: down, match: afterWriting, times: 50 });
  const { structured, text } = await connection.call('apply_course_outline', {
    ...question,
    base_version,
    confirm: true,
  });
  const { applied, verified, next } = row(structured);
  expect([verified, row(structured).base_version], text).toEqual([false, undefined]);
  expect(applied).not.toEqual([]);
  expect(String(next)).toContain('plan_course_outline');
});

test('block refuses, preview needs its code, and a client that can ask shows the plan to a person', async () => {
  const sandbox = await start();
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off' };
  const { question } = await reshuffled(sandbox, 14);
  const before = await lessonIds(sandbox, 14);

  const blocked = await connect({ ...settings, ACADEMY_CONFIRM: 'block' });
  const base_version = await versionFor(blocked, question);
  expectRefusal(await blocked.call('apply_course_outline', { ...question, base_version, confirm: true }), 'declined');

  const questions: string[] = [];
  const asking = await connect(settings, {
    human: ({ message }) => {
      questions.push(message);
      return { action: 'decline' };
    },
  });
  expectRefusal(await asking.call('apply_course_outline', { ...question, base_version, confirm: true }), 'declined');
  expect(questions).toHaveLength(1);
  expect(questions[0]).toContain('Lessons to write');
  expect(await lessonIds(sandbox, 14)).toEqual(before);

  const coded = await connect({ ...settings, ACADEMY_CONFIRM: 'preview' });
  const refusal = await coded.call('apply_course_outline', { ...question, base_version });
  const confirm = codeIn(expectRefusal(refusal, 'confirmation_required'));
  const done = await coded.call('apply_course_outline', { ...question, base_version, confirm });
  expect(row(done.structured)).toMatchObject({ verified: true });
  expect(await lessonIds(sandbox, 14)).toEqual(before.toReversed());
});
