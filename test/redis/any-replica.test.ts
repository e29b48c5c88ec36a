import { expect, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { startFaultServer } from '../reliability/fault-server.ts';
import { callMessage, initialize, type Posted, post } from '../support/http-server.ts';
import { start as startSandbox } from '../support/sandbox.ts';
import { startRedis } from './start-redis.ts';
import { authorization, startReplica, token } from './start-replica.ts';

/** Two replicas, and a function that sends each message to the one with this index. */
async function startTwo(settings: Record<string, string> = {}, options: SandboxOptions = {}) {
  const redis = await startRedis();
  const sandbox = await startSandbox({ students: 120, orders: 400, ...options });
  const between = await startFaultServer(sandbox.url);
  const start = () => startReplica(redis.url, between.url, sandbox.apiKey, settings);
  const replicas = [await start(), await start()] as const;
  const opened = await post(replicas[0].url, initialize, { authorization });
  const session = { authorization, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  let id = 1;
  const call = async (index: 0 | 1, name: string, args: Record<string, unknown>): Promise<Posted> => {
    id += 1;
    return await post(replicas[index].url, callMessage(id, name, args), session);
  };
  const requests = (method?: string) =>
    between.log.filter((request) => method === undefined || request.method === method).length;
  return { redis, sandbox, replicas, call, session, requests };
}

type Result = { isError?: boolean; content: { text: string }[]; structuredContent?: Record<string, unknown> };
const resultOf = ({ json }: Posted) => json.result as Result;
const textOf = (answer: Posted) => resultOf(answer).content[0]?.text ?? '';

/** Two replicas, and codes of the first one that confirm a reset. */
async function startPreviewing() {
  const two = await startTwo({ ACADEMY_CONFIRM: 'preview' });
  const args = { email: 'freya.hargreaves@example.net', course_id: 3 };
  const ask = (tool: string, more = {}) => two.call(0, tool, { ...args, ...more });
  await ask('enroll_student');
  const codeNow = async () => /confirm: "([^"]+)"/.exec(textOf(await ask('reset_course_progress')))?.[1];
  // From now on the facts that a code binds stay the same.
  await ask('reset_course_progress', { confirm: await codeNow() });
  return { ...two, args, codeNow };
}

test('a session continues on another replica', async () => {
  const { call, session, replicas } = await startTwo();
  expect(resultOf(await call(1, 'list_courses', {})).isError).toBeUndefined();
  const other = { ...session, authorization: 'Bearer another-token-of-24-characters' };
  const message = { jsonrpc: '2.0', id: 9, method: 'tools/list' };
  expect((await post(replicas[1].url, message, other)).status).toBe(401);
});

test('a one-time code is used once, on whatever replica', async () => {
  const { call, args, codeNow } = await startPreviewing();
  const code = await codeNow();
  expect(textOf(await call(1, 'reset_course_progress', { ...args, confirm: code }))).not.toContain('the code');
  expect(textOf(await call(0, 'reset_course_progress', { ...args, confirm: code }))).toContain(
    'the code has been used',
  );
});

/** A result of several MiB. */
const longResult = `WITH RECURSIVE n(x, y) AS (SELECT 1, 12345 UNION ALL
  SELECT x + 1, (y * 1103515245 + 12345) % 2147483648 FROM n LIMIT 250000)
  SELECT y * 7919 % 1000003 AS a, y % 999983 AS b, y * 31 % 99991 AS c, y * 17 % 9999991 AS d, y FROM n`;

test('a used code stays used after more exports than there is room for', { timeout: 120_000 }, async () => {
  const { call, redis } = await startTwo({
    ACADEMY_CONFIRM: 'preview',
    ACADEMY_LOCKDOWN: 'true',
    ACADEMY_MIRROR: 'memory',
  });
  await redis.command('CONFIG', 'SET', 'maxmemory', '256mb');
  await call(0, 'list_assignment_answers', {});
  // Of a channel that is created, the preview shows no fact that changes.
  const args = { name: 'Quiet room' };
  const confirm = /confirm: "([^"]+)"/.exec(textOf(await call(0, 'create_channel', args)))?.[1];
  expect(textOf(await call(0, 'create_channel', { ...args, confirm }))).not.toContain('the code');
  for (let number = 0; number < 8; number += 1)
    await call(number % 2 === 0 ? 0 : 1, 'export_data', { sql: longResult });
  expect(textOf(await call(1, 'create_channel', { ...args, confirm }))).toContain('the code has been used');
});

test('while Redis takes no values or is lost, no code is accepted: another replica may have used it', {
  timeout: 60_000,
}, async () => {
  const { call, redis, requests, args, codeNow } = await startPreviewing();
  // From now on the other replica knows the session itself.
  await call(1, 'list_courses', {});
  const [used, fresh, other] = [await codeNow(), await codeNow(), await codeNow()];
  await call(0, 'reset_course_progress', { ...args, confirm: used });
  const before = requests('POST');
  await redis.command('CONFIG', 'SET', 'maxmemory', '1');
  for (const confirm of [used, fresh]) {
    const answer = await call(1, 'reset_course_progress', { ...args, confirm });
    expect(textOf(answer)).toMatch(/^confirmation_required: Redis is lost/);
  }
  await redis.kill();
  expect(textOf(await call(1, 'reset_course_progress', { ...args, confirm: used }))).toMatch(/^confirmation_required/);
  expect(textOf(await call(1, 'reset_course_progress', { ...args, confirm: other }))).toContain('Redis is lost');
  // The reading of the percentage is a POST, too.
  expect(requests('POST') - before).toBe(4);
});

test('what a conversation has read on one replica locks the other down', async () => {
  const { call } = await startTwo({ ACADEMY_LOCKDOWN: 'true', ACADEMY_CONFIRM: 'block' });
  const args = { name: 'Quiet room' };
  await call(0, 'list_assignment_answers', {});
  expect(textOf(await call(1, 'create_channel', args))).toContain('declined');
});

test('a list continues on another replica without another request', async () => {
  const { call, requests } = await startTwo();
  const first = resultOf(await call(0, 'list_completed_students', { limit: 1 }));
  const before = requests();
  const cursor = first.structuredContent?.next_cursor;
  const next = resultOf(await call(1, 'list_completed_students', { limit: 1, cursor }));
  expect(next.isError).toBeUndefined();
  expect(next.structuredContent).not.toEqual(first.structuredContent);
  expect(requests()).toBe(before);
});

test('a scan of orders continues on another replica where it ended', async () => {
  const { call, requests } = await startTwo();
  const question = { group_by: 'month', period: 'all_time', max_requests: 3 };
  const parts: Record<string, unknown>[] = [];
  let cursor: unknown;
  for (let index = 0; index < 10; index += 1) {
    const answer = resultOf(
      await call((index % 2) as 0 | 1, 'sales_report', { ...question, ...(cursor ? { cursor } : {}) }),
    );
    expect(answer.isError, JSON.stringify(answer)).toBeUndefined();
    parts.push(answer.structuredContent ?? {});
    cursor = parts.at(-1)?.next_cursor;
    if (cursor === undefined) break;
  }
  expect(parts.length).toBeGreaterThan(1);
  const coverage = parts.at(-1)?.coverage as Record<string, unknown>;
  expect(coverage.complete).toBe(true);
  expect(coverage.needs_max_requests).toBeUndefined();
  const alone = requests();
  await call(0, 'sales_report', { ...question, max_requests: 100 });
  // In parts on two replicas it takes as many requests as in one part on one.
  expect(alone).toBe(requests() - alone);
});

test('the limit of a caller holds for all replicas together', async () => {
  const { call } = await startTwo({ ACADEMY_HTTP_RATE_LIMIT: '6' });
  const statuses: number[] = [];
  for (let index = 0; index < 8; index += 1) {
    statuses.push((await call((index % 2) as 0 | 1, 'list_courses', {})).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
});

test('Redis holds neither a text, nor an email, nor a key of the academy', async () => {
  const { redis, sandbox, call } = await startTwo({ ACADEMY_LOCKDOWN: 'true' });
  await call(0, 'list_completed_students', { limit: 1 });
  await call(0, 'list_orders', { per_page: 5 });
  const keys = (await redis.command('KEYS', '*')) as string[];
  expect(keys.length).toBeGreaterThan(2);
  // The others are sets of tokens, which have no values.
  const values = await Promise.all(keys.map((key) => redis.command('GET', key).catch(() => '')));
  expect(values.join('').length).toBeGreaterThan(1_000);
  const held = JSON.stringify([keys, values]);
  for (const secret of [sandbox.apiKey, token, '@example', 'academy_completed']) expect(held).not.toContain(secret);
});

test('the loss of Redis is in the log, in /readyz and in the metrics, and ends by itself', {
  timeout: 60_000,
}, async () => {
  const { redis, replicas, call } = await startTwo();
  const readiness = async () => await (await fetch(`${replicas[0].origin}/readyz`)).json();
  const metrics = async () =>
    await (await fetch(`${replicas[0].origin}/metrics`, { headers: { authorization } })).text();
  expect(await readiness()).toEqual({ ready: true, redis: 'shared' });
  expect(await metrics()).toContain('academy_mcp_redis_up 1');
  await redis.kill();
  await expect.poll(readiness).toEqual({ ready: true, redis: 'lost' });
  expect(await metrics()).toContain('academy_mcp_redis_up 0');
  expect(replicas[0].log.join('')).toContain('Redis is lost');
  // The sessions of this replica go on.
  expect((await call(0, 'list_courses', {})).status).toBe(200);
  await redis.start();
  await expect.poll(readiness).toEqual({ ready: true, redis: 'shared' });
});

test('an unclear write is not repeated on another replica', { timeout: 60_000 }, async () => {
  const { call, sandbox, requests } = await startTwo({ ACADEMY_PREFLIGHT: 'false' });
  const args = { course_id: 3, title: 'A lesson of which nobody knows' };
  await sandbox.close();
  const before = requests('POST');
  const first = textOf(await call(0, 'create_lesson', args));
  expect(first).toContain('outcome_unknown');
  const sent = requests('POST');
  expect(sent).toBe(before + 1);
  expect(textOf(await call(1, 'create_lesson', args))).toContain('outcome_unknown');
  expect(requests('POST')).toBe(sent);
});

test('an identical create on two replicas at once is sent once', { timeout: 60_000 }, async () => {
  const { call, requests } = await startTwo();
  const args = { course_id: 3, title: 'The same lesson twice' };
  const answers = await Promise.all([call(0, 'create_lesson', args), call(1, 'create_lesson', args)]);
  expect(answers.map((answer) => resultOf(answer).isError)).toEqual([undefined, undefined]);
  expect(requests('POST')).toBe(1);
});

test('a write that another replica does not end is unclear, and is not sent twice', { timeout: 60_000 }, async () => {
  const settings = { ACADEMY_PREFLIGHT: 'false', ACADEMY_MAX_WAIT_MS: '300' };
  const { call, requests } = await startTwo(settings, { latencyMs: 5_000 });
  const args = { course_id: 3, title: 'A lesson of a replica that died' };
  const first = call(0, 'create_lesson', args);
  await expect.poll(() => requests('POST'), { timeout: 5_000 }).toBe(1);
  // For this replica, one that works for long and one that has died are the same.
  const other = textOf(await call(1, 'create_lesson', args));
  expect(other).toMatch(
    /^outcome_unknown: an identical call on another replica has not ended, so nothing was sent now/,
  );
  expect(requests('POST')).toBe(1);
  expect(resultOf(await first).isError).toBeUndefined();
});

test('more replicas than tokens are reported at the start', async () => {
  const redis = await startRedis();
  const linesWith = async (ACADEMY_REPLICAS: string) => {
    const settings = { ACADEMY_RATE_LIMIT: '5', ACADEMY_RATE_SHARE: '0.8', ACADEMY_REPLICAS };
    return (await startReplica(redis.url, 'http://127.0.0.1:9', 'the-key', settings)).log.join('');
  };
  expect(await linesWith('16')).toContain('ACADEMY_REPLICAS is above the tokens');
  expect(await linesWith('4')).not.toContain('ACADEMY_REPLICAS');
});

test('an export can be read on every replica', async () => {
  const { call, session, replicas } = await startTwo({ ACADEMY_MIRROR: 'memory' });
  const { structuredContent } = resultOf(await call(0, 'export_data', { sql: 'SELECT 1 AS one' }));
  const message = { jsonrpc: '2.0', id: 9, method: 'resources/read', params: { uri: structuredContent?.link } };
  for (const { url } of replicas) {
    const { json } = await post(url, message, session);
    expect(json.result).toMatchObject({ contents: [{ mimeType: 'text/csv', text: '\uFEFF"one"\r\n1\r\n' }] });
  }
});
