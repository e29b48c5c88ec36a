import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { eventNames } from '../support/document.ts';
import { inBatches, postEvent, webhookSecret } from '../support/events.ts';
import { startHttp } from '../support/http-server.ts';

const settings = { ACADEMY_WEBHOOK_SECRET: webhookSecret };
const student = { id: 7, name: 'Nora', email: 'nora@example.net' };

interface Kept {
  app: { tools: readonly { name: string }[] };
  origin: string;
}

async function metrics(origin: string): Promise<string> {
  return await (await fetch(`${origin}/metrics`)).text();
}

test('without a secret there is no webhook address and no tool for events', async () => {
  const { origin, app }: Kept = await startHttp();
  const unknown = await fetch(`${origin}/nowhere`);
  const refused = await postEvent(origin, 'new_student', student);
  expect(refused.status).toBe(404);
  expect(await refused.text()).toBe(await unknown.text());
  expect(app.tools.map(({ name }) => name)).not.toContain('list_recent_events');
});

test('a wrong secret, account, event or path gets the answer of an unknown path', async () => {
  const { origin, log } = await startHttp(settings);
  const unknown = await fetch(`${origin}/nowhere`, { method: 'POST' });
  const expected = [unknown.status, await unknown.text()];
  const changed = `6${webhookSecret.slice(1)}`;
  const wrong = [
    await postEvent(origin, 'new_student', student, { secret: changed }),
    await postEvent(origin, 'new_student', student, { secret: webhookSecret.slice(1) }),
    await postEvent(origin, 'new_student', student, { secret: `${webhookSecret}/` }),
    await postEvent(origin, 'new_student', student, { secret: webhookSecret.toUpperCase() }),
    await postEvent(origin, 'new_student', student, { account: 'other' }),
    await postEvent(origin, 'new_lesson', student),
    await fetch(`${origin}/webhooks/default/new_student`, { method: 'POST' }),
    await fetch(`${origin}/webhooks/default/new_student/${changed}`),
  ];
  for (const answer of wrong) expect([answer.status, await answer.text()]).toEqual(expected);
  expect(log.join('')).not.toContain(changed);
});

test('each of two secrets is accepted, so that one can be replaced', async () => {
  const next = 'b'.repeat(32);
  const { origin } = await startHttp({ ACADEMY_WEBHOOK_SECRET: `${next},${webhookSecret}` });
  expect((await postEvent(origin, 'new_student', student)).status).toBe(202);
  expect((await postEvent(origin, 'new_student', { ...student, id: 8 }, { secret: next })).status).toBe(202);
});

test('the secret is in no log line, and the log names the event', async () => {
  const { origin, log } = await startHttp(settings);
  await postEvent(origin, 'new_student', student);
  await postEvent(origin, 'new_student', '{');
  await expect.poll(() => log.join('')).toContain('/webhooks/default/new_student/:secret');
  expect(log.join('')).not.toContain(webhookSecret);
  expect(log.join('')).not.toContain(student.email);
});

test('only a POST of JSON that is a payload of the event is accepted', async () => {
  const { origin } = await startHttp(settings);
  const get = await fetch(`${origin}/webhooks/default/new_student/${webhookSecret}`);
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  const status = async (event: string, body: unknown, headers = {}) =>
    (await postEvent(origin, event, body, { headers })).status;
  expect(await status('new_student', 'name=Nora', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(415);
  expect(await status('new_student', '{"id":7')).toBe(400);
  for (const body of [null, [], 7, {}, { id: 7 }, { email: 'no address' }, { email: ['a@example.net'] }]) {
    expect(await status('new_student', body)).toBe(422);
  }
  for (const id of [undefined, '../students', '', 'a/b', {}]) expect(await status('new_order', { id })).toBe(422);
  expect(await status('course_completed', student)).toBe(422);
  expect(await status('course_completed', { ...student, course_id: 1 })).toBe(202);
});

test('a body above 64 KiB is refused, whether its length is announced or not', async () => {
  const { origin } = await startHttp(settings);
  const large = JSON.stringify({ ...student, name: 'x'.repeat(65 * 1024) });
  expect((await postEvent(origin, 'new_student', large)).status).toBe(413);
  const chunks = new Blob([large]).stream();
  expect((await postEvent(origin, 'new_student', chunks)).status).toBe(413);
});

test('a body that does not arrive in time is refused', async () => {
  const { port } = await startHttp(settings, { pace: 0.05 });
  const socket = connect(port, '127.0.0.1');
  const head = [
    `POST /webhooks/default/new_student/${webhookSecret} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Content-Length: 100',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{"id":7,`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test('the same delivery many times is one event, and every delivery is answered with 202', async () => {
  const { origin } = await startHttp(settings);
  const answers = await Promise.all(Array.from({ length: 100 }, () => postEvent(origin, 'new_student', student)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  const text = await metrics(origin);
  expect(text).toContain('academy_mcp_events_total{event="new_student",result="stored"} 1\n');
  expect(text).toContain('academy_mcp_events_total{event="new_student",result="duplicate"} 99\n');
});

test('more deliveries a minute than the limit are refused with the seconds to wait', async () => {
  const { origin } = await startHttp(settings);
  const post = (id: number) => postEvent(origin, 'new_order', { id: `order${id}` });
  const statuses = new Map<number, number>();
  for (const { status, headers } of await inBatches(1_300, post)) {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect([...statuses]).toEqual([
    [202, 1_200],
    [429, 100],
  ]);
});

test('random bodies never fail the server', async () => {
  const { origin, log } = await startHttp(settings);
  const values = [null, true, -1, 1e308, '', '\u202e', 'a@b.co', [], {}, [[[[[]]]]], { id: { id: [] } }, '__proto__'];
  const names = ['id', 'email', 'name', 'course_id', 'answer', 'courses', 'bundles', '__proto__', 'constructor'];
  const bodies = Array.from({ length: 300 }, (_, number) =>
    JSON.stringify(Object.fromEntries(names.map((name, index) => [name, values[(number * (index + 3)) % 11]]))),
  );
  for (const [index, body] of bodies.entries()) {
    const { status } = await postEvent(origin, eventNames[index % eventNames.length] ?? '', body);
    expect([202, 422]).toContain(status);
  }
  expect(log.join('')).not.toContain('unexpectedly');
});

test('only a listed source can post, and a header of anybody else does not change who it is', async () => {
  const refused = await startHttp({ ...settings, ACADEMY_WEBHOOK_SOURCES: '203.0.113.0/24' });
  const unknown = await fetch(`${refused.origin}/nowhere`, { method: 'POST' });
  for (const headers of [{}, { 'x-forwarded-for': '203.0.113.7' }]) {
    const answer = await postEvent(refused.origin, 'new_student', student, { headers });
    expect([answer.status, await answer.text()]).toEqual([unknown.status, await unknown.clone().text()]);
  }
  expect(refused.log.join('')).toContain('its source is not in ACADEMY_WEBHOOK_SOURCES');
  const accepted = await startHttp({ ...settings, ACADEMY_WEBHOOK_SOURCES: '203.0.113.9,127.0.0.1' });
  expect((await postEvent(accepted.origin, 'new_student', student)).status).toBe(202);
});

test('behind a trusted proxy the source is the address that the proxy saw', async () => {
  const { origin } = await startHttp({
    ...settings,
    ACADEMY_WEBHOOK_SOURCES: '203.0.113.0/24,2001:db8::/32',
    ACADEMY_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
  });
  const status = async (forwarded: string) =>
    (await postEvent(origin, 'new_student', student, { headers: { 'x-forwarded-for': forwarded } })).status;
  expect(await status('203.0.113.7')).toBe(202);
  expect(await status('198.51.100.1, 203.0.113.7, 10.1.2.3')).toBe(202);
  expect(await status('2001:db8::7')).toBe(202);
  expect(await status('203.0.113.7, 198.51.100.1')).toBe(404);
  expect(await status('203.0.113.7, unknown')).toBe(404);
  expect(await status('10.1.2.3')).toBe(404);
});
