import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';
import { closedUrl, startReceiver } from '../support/recorder.ts';
import { call, start } from '../support/sandbox.ts';

const fast = { webhookBackoffMs: 5, webhookTimeoutMs: 200 };

/** A sandbox that posts new students to these targets. */
const startFor = (targets: { url: string }[], more: SandboxOptions = {}) =>
  start({ webhooks: targets.map(({ url }) => ({ event: 'new_student', url })), ...fast, ...more });

async function enroll(sandbox: Sandbox, ...users: string[]): Promise<void> {
  for (const user of users) {
    const body = { email: `${user}@example.com`, name: user };
    expect((await call(sandbox, 'POST', '/api/v1/student/enroll', body)).status).toBe(200);
  }
}

const names = (deliveries: { body: unknown }[]) => deliveries.map(({ body }) => (body as { name: string }).name);
const range = (count: number) => Array.from({ length: count }, (_, index) => `user${index}`);

test('an event is posted as JSON to each subscribed target and to no other', async () => {
  const [first, second, other] = [await startReceiver(), await startReceiver(), await startReceiver()];
  const webhooks = [
    { event: 'new_student', url: first.url },
    { event: 'new_student', url: second.url },
    { event: 'new_answer', url: other.url },
  ] as const;
  const sandbox = await start({ webhooks: [...webhooks], ...fast });
  await enroll(sandbox, 'ana');
  await expect.poll(() => [first.deliveries.length, second.deliveries.length]).toEqual([1, 1]);
  const id = sandbox.academy.students.withEmail('ana@example.com')?.id;
  expect(first.deliveries[0]?.body).toEqual({ id, name: 'ana', email: 'ana@example.com' });
  expect(first.deliveries[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
  expect(first.deliveries[0]?.headers['x-webhook-event']).toBe('new_student');
  expect(other.deliveries).toEqual([]);
});

test('a target receives events one at a time, in order, each retried until it is accepted', async () => {
  let answering = 0;
  const seen: number[] = [];
  const target = await startReceiver(async (_request, index) => {
    answering += 1;
    seen.push(answering);
    await sleep(3);
    answering -= 1;
    return { status: index % 3 === 2 ? 200 : 500 };
  });
  const sandbox = await startFor([target]);
  await enroll(sandbox, 'one', 'two', 'three');
  await expect.poll(() => target.deliveries.length).toBe(9);
  expect(names(target.deliveries)).toEqual(['one', 'one', 'one', 'two', 'two', 'two', 'three', 'three', 'three']);
  expect(Math.max(...seen)).toBe(1);
  const ids = target.deliveries.map(({ headers }) => headers['x-webhook-id']);
  expect(new Set(ids).size).toBe(3);
});

test('after six attempts an event is dropped and logged, and the next one is sent', async () => {
  const lines: string[] = [];
  const target = await startReceiver((_request, index) => ({ status: index < 6 ? 503 : 200 }));
  const sandbox = await startFor([target], { log: (line) => lines.push(line) });
  await enroll(sandbox, 'lost', 'kept');
  await expect.poll(() => target.deliveries.length, { timeout: 5000 }).toBe(7);
  expect(names(target.deliveries)).toEqual([...Array.from({ length: 6 }, () => 'lost'), 'kept']);
  expect(lines).toEqual([`webhook new_student to ${target.url} dropped: status 503`]);
});

test('a redirect is a failure and is not followed', async () => {
  const elsewhere = await startReceiver();
  const target = await startReceiver(() => ({ status: 302, headers: { location: elsewhere.url } }));
  const sandbox = await startFor([target]);
  await enroll(sandbox, 'ana');
  await expect.poll(() => target.deliveries.length).toBeGreaterThan(1);
  expect(elsewhere.deliveries).toEqual([]);
});

test('a target that never answers delays neither the API nor another target, and counts as a failure', async () => {
  const lines: string[] = [];
  const mute = await startReceiver(() => 'silence');
  const good = await startReceiver();
  const sandbox = await startFor([mute, good], { log: (line) => lines.push(line) });
  await enroll(sandbox, ...range(30));
  await expect.poll(() => names(good.deliveries)).toEqual(range(30));
  expect(mute.deliveries.length).toBeLessThan(30);
  await expect.poll(() => lines[0], { timeout: 5000 }).toContain('no answer within 200 ms');
});

test('events for a dead target are dropped once its queue is full, and close does not wait for it', async () => {
  const lines: string[] = [];
  const dead = { url: await closedUrl() };
  const sandbox = await startFor([dead], { webhookBackoffMs: 600_000, log: (line) => lines.push(line) });
  await enroll(sandbox, ...range(1003));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('1000 events are waiting');
  await sandbox.close();
});
