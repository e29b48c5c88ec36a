import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Exchange, startFaultServer } from '../reliability/fault-server.ts';
import { talkHere } from '../support/command-line.ts';
import { unlimited } from '../support/connect.ts';
import {
  callerTokens,
  callMessage,
  initialize,
  jsonHeaders,
  modernCall,
  openSession,
  type Posted,
  post,
  startHttp,
  withBatches,
} from '../support/http-server.ts';
import { callOf, hello, messagesIn, start } from '../support/program.ts';
import { bearer, start as startSandbox } from '../support/sandbox.ts';

test('S20: a caller over the rate limit is told to wait, and others are not affected', async () => {
  const { url } = await startHttp(
    { ACADEMY_HTTP_TOKENS: callerTokens.join(','), ACADEMY_HTTP_RATE_LIMIT: '20' },
    { stateless: true },
  );
  const flood: Awaited<ReturnType<typeof post>>[] = [];
  for (let wave = 0; wave < 2; wave += 1) {
    const calls = Array.from({ length: 50 }, (_, index) =>
      post(url, callMessage(index, 'get_account'), bearer(callerTokens[0])),
    );
    flood.push(...(await Promise.all(calls)));
  }
  const refused = flood.filter(({ status }) => status === 429);
  expect(flood.length - refused.length).toBeLessThanOrEqual(20);
  expect(refused.length).toBeGreaterThanOrEqual(80);
  for (const { headers, json } of refused) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(json).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringContaining('Too many requests') } });
  }
  expect((await post(url, initialize, bearer(callerTokens[1]))).status).toBe(200);
});

test('S20: concurrent requests of a caller are limited, and each completed request frees its slot', async () => {
  const settings = { ACADEMY_HTTP_MAX_IN_FLIGHT: '3', ACADEMY_HTTP_TOKENS: callerTokens.join(',') };
  const { url } = await startHttp(settings, { stateless: true, sandbox: { latencyMs: 300 } });
  const ask = (id: number) => post(url, callMessage(id, 'get_course', { course_id: id }), bearer(callerTokens[0]));
  const together = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index + 1)));
  expect(together.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(together.filter(({ status }) => status === 429)).toHaveLength(7);
  expect((await ask(11)).status).toBe(200);
});

const capped = { ACADEMY_HTTP_MAX_IN_FLIGHT: '2' };

/** Sends a message and disconnects before the answer. */
async function askAndLeave(url: string, message: object, headers: Record<string, string>): Promise<void> {
  const sent = { method: 'POST', body: JSON.stringify(message), headers: { ...jsonHeaders, ...headers } };
  await expect(fetch(url, { ...sent, signal: AbortSignal.timeout(100) })).rejects.toThrow();
}

test('S20: a call keeps its slot until it settles, even if its client disconnects', async () => {
  const { url } = await startHttp(capped, { sandbox: { latencyMs: 1_500 } });
  const session = await openSession(url);
  for (const id of [1, 2]) await askAndLeave(url, callMessage(id, 'get_course', { course_id: id }), session);
  const ping = () => post(url, { jsonrpc: '2.0', id: 3, method: 'ping' }, session);
  expect((await ping()).status).toBe(429);
  await expect.poll(async () => (await ping()).status, { timeout: 5_000 }).toBe(200);
});

test('S20: a call of 2026-07-28 ends when its client disconnects, and frees its slot', async () => {
  const { url } = await startHttp(capped, { sandbox: { latencyMs: 1_000 } });
  // Refused before any request to the academy.
  const { message, headers } = modernCall('get_course', { course_id: 0 });
  const ask = async () => (await post(url, message, headers)).status;
  // The first call waits until the SDK is loaded.
  expect(await ask()).toBe(200);
  for (let round = 0; round < 3; round += 1) {
    const slow = modernCall('get_course', { course_id: 1 });
    await askAndLeave(url, slow.message, slow.headers);
  }
  await expect.poll(ask).toBe(200);
});

test('S20: a client that disconnects while sending its body frees its slot', async () => {
  const { url, port } = await startHttp(capped);
  const session = await openSession(url);
  const fields = { host: `127.0.0.1:${port}`, ...jsonHeaders, ...session, 'content-length': 100 };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  for (let round = 0; round < 2; round += 1) {
    const socket = connectSocket(port, '127.0.0.1');
    await new Promise((resolve) => socket.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n{`, resolve));
    await sleep(100);
    socket.destroy();
  }
  const both = [2, 3].map((id) => post(url, { jsonrpc: '2.0', id, method: 'ping' }, session));
  await sleep(100);
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
});

test('S20: each message of a batch takes a slot and counts against the rate limit', async () => {
  const openBatches = async (settings: Record<string, string>) => {
    const { url } = await startHttp(settings);
    const session = await openSession(url, {}, withBatches);
    const pings = (length: number) => Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    return async (length: number) => (await post(url, pings(length), session)).status;
  };
  const few = await openBatches(capped);
  expect([await few(3), await few(2)]).toEqual([429, 200]);
  const seldom = await openBatches({ ACADEMY_HTTP_RATE_LIMIT: '25' });
  // The first request opened the session.
  expect([await seldom(10), await seldom(10), await seldom(10)]).toEqual([200, 200, 429]);
});

test('S20: several requests on one connection free their slots when the client disconnects', async () => {
  const { url, port } = await startHttp(capped, { sandbox: { latencyMs: 400 } });
  const session = await openSession(url);
  const body = JSON.stringify(callMessage(1, 'get_account'));
  const head = Object.entries({ host: `127.0.0.1:${port}`, ...jsonHeaders, ...session, 'content-length': body.length });
  const request = `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
  const socket = connectSocket(port, '127.0.0.1');
  socket.write(request.repeat(2));
  await sleep(100);
  socket.destroy();
  await sleep(600);
  const both = [2, 3].map((id) => post(url, callMessage(id, 'get_account'), session));
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
});

test('S20: a GET counts against the rate limit like any other request', async () => {
  const { url } = await startHttp({ ACADEMY_HTTP_RATE_LIMIT: '5' });
  const session = await openSession(url);
  const statuses: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const { status, body } = await fetch(url, { headers: { ...jsonHeaders, ...session } });
    await body?.cancel();
    statuses.push(status);
  }
  expect(statuses.slice(0, 4)).not.toContain(429);
  expect(statuses.slice(4)).toEqual([429, 429]);
});

const kibibyte = 1024;

const withMeta = <Message extends { params: object }>(message: Message, meta: object) => {
  const { params } = message;
  const given = '_meta' in params ? params._meta : {};
  return { ...message, params: { ...params, _meta: { ...(given as object), ...meta } } };
};

const bulky = { padding: 'x'.repeat(16 * kibibyte) };
const many = { padding: Array.from({ length: 9_000 }, () => 1) };
const nameOfKey = { ['x'.repeat(17 * kibibyte)]: 1 };
const fourBytes = { padding: '\u{1F469}'.repeat(4_200) };
const small = { padding: 'x'.repeat(15 * kibibyte) };
const refusal = {
  jsonrpc: '2.0',
  error: { code: -32600, message: expect.stringContaining('_meta is larger than 16 KiB') },
};

test('S20: over HTTP a _meta of more than 16 KiB is refused, whatever the version and the method', async () => {
  const { url } = await startHttp();
  const session = await openSession(url);
  const modern = modernCall('get_account', {});
  const named = { 'io.modelcontextprotocol/clientInfo': { name: bulky.padding } };
  expect(await post(url, withMeta(modern.message, named), modern.headers)).toMatchObject({
    status: 400,
    json: refusal,
  });
  const batches = await openSession(url, {}, withBatches);
  const read = { ...modern.message, method: 'resources/read', params: { uri: 'academy://account', _meta: {} } };
  const readHeaders = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read' };
  for (const meta of [bulky, many, nameOfKey, fourBytes]) {
    const call = withMeta(callMessage(1, 'get_account'), meta);
    const refused = [
      await post(url, call, session),
      await post(url, { ...call, method: 'completion/complete' }, session),
      await post(url, { ...call, method: 'ping' }, session),
      await post(url, [call, { ...call, id: 2 }], batches),
      await post(url, withMeta({ ...initialize, id: 1 }, meta)),
      await post(url, withMeta({ jsonrpc: '2.0', method: 'notifications/initialized', params: {} }, meta), session),
      await post(url, withMeta(modern.message, meta), modern.headers),
      await post(url, withMeta(read, meta), readHeaders),
      await post(url, { jsonrpc: '2.0', id: 1, result: { _meta: meta } }, readHeaders),
    ];
    for (const { status, json } of refused) expect([status, json]).toMatchObject([400, refusal]);
  }
  const deep = JSON.stringify(withMeta(callMessage(1, 'get_account'), { padding: 'DEEP' }));
  const text = deep.replace('"DEEP"', '['.repeat(9_000) + ']'.repeat(9_000));
  expect((await post(url, text, session)).json).toMatchObject(refusal);
  expect((await post(url, withMeta(callMessage(2, 'get_account'), small), session)).status).toBe(200);
  expect((await post(url, withMeta(modern.message, small), modern.headers)).status).toBe(200);
});

test('S20: on stdin a _meta of more than 16 KiB is refused, and the next message is served', async () => {
  const sandbox = await startSandbox({ students: 3, orders: 5 });
  const modern = modernCall('get_account', {}).message;
  for (const [greeting, message] of [
    [hello, callOf(1, 'get_account')],
    [[], modern],
  ] as const) {
    const sent = [...greeting, withMeta({ ...message, id: 7 }, bulky), withMeta({ ...message, id: 8 }, small)];
    const messages = messagesIn((await talkHere(sent, unlimited(sandbox.url, sandbox.apiKey))).stdout);
    expect(messages.find(({ id }) => id === 7)).toMatchObject(refusal);
    expect(messages.find(({ id }) => id === 8)?.result).toBeDefined();
  }
});

test('S20: a session keeps only the name and version of its client from initialize', async () => {
  const { url } = await startHttp();
  const icons = [{ src: `data:image/png;base64,${'A'.repeat(100_000)}` }];
  const { params } = initialize;
  const named = { ...initialize, params: { ...params, clientInfo: { ...params.clientInfo, icons } } };
  expect((await post(url, named)).status).toBe(200);
  const capable = { ...initialize, params: { ...params, capabilities: { experimental: { a: bulky } } } };
  const { status, json } = await post(url, capable);
  expect([status, json]).toMatchObject([400, { error: { message: expect.stringContaining('16 KiB') } }]);
});

/** An academy that answers no request until `release`, and none after `hold`. */
async function startHolding() {
  const sandbox = await startSandbox({ students: 10, orders: 10 });
  const server = await startFaultServer(sandbox.url);
  let released = Promise.resolve();
  let release = () => {};
  const hold = () => {
    released = new Promise((resolve) => {
      release = resolve;
    });
  };
  const answerLater = async ({ answer, work }: Exchange) => {
    await released;
    answer(await work());
  };
  server.arm({ name: 'held', fault: { at: 'body', act: answerLater }, times: Number.POSITIVE_INFINITY });
  hold();
  return { url: server.url, apiKey: sandbox.apiKey, hold, release: () => release() };
}

const withArguments = <Message extends { params: object }>(message: Message, args: object) => ({
  ...message,
  params: { ...message.params, arguments: args },
});

/** A call that waits for the academy, with extra bytes next to its arguments. */
const heavyCall = (id: number) => ({
  ...callMessage(id, 'get_course', { course_id: id }),
  params: { name: 'get_course', arguments: { course_id: id }, padding: 'x'.repeat(900 * kibibyte) },
});

/** Nine fit. Bodies arrive in parts: one that is refused in the middle may have kept out another that would have fitted. */
function expectShare(answers: readonly Posted[]): void {
  const served = answers.filter(({ status }) => status === 200);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(16 - served.length);
  expect(served.length).toBeGreaterThanOrEqual(5);
  expect(served.length).toBeLessThanOrEqual(9);
}

test('S20: unanswered requests of one caller hold at most 8 MiB over all its sessions', {
  timeout: 30_000,
}, async () => {
  const settings = { ACADEMY_HTTP_TOKENS: callerTokens.join(',') };
  const academy = await startHolding();
  const { url } = await startHttp(settings, { baseUrl: academy.url });
  const sessions = [await openSession(url, bearer(callerTokens[0])), await openSession(url, bearer(callerTokens[0]))];
  const otherSession = await openSession(url, bearer(callerTokens[1]));
  const wave = (first: number) => {
    const refused: Posted[] = [];
    const calls = Array.from({ length: 16 }, async (_, index) => {
      const answer = await post(url, heavyCall(first + index), sessions[index % 2]);
      if (answer.status === 429) refused.push(answer);
      return answer;
    });
    return { refused, answers: Promise.all(calls) };
  };
  const together = wave(1);
  await expect.poll(() => together.refused.length).toBeGreaterThanOrEqual(7);
  // This one is answered without the academy, which holds all the others.
  const other = await post(url, withArguments(heavyCall(1), { course_id: 'no number' }), otherSession);
  expect(other.status).toBe(200);
  academy.release();
  const answers = await together.answers;
  const refused = answers.filter(({ status }) => status === 429);
  expectShare(answers);
  for (const { headers, json } of refused) {
    expect(headers.get('retry-after')).toBe('1');
    expect(json).toMatchObject({ error: { message: expect.stringMatching(/^Too many requests .* 8 MiB /) } });
  }
  // Answered and refused requests free their bytes.
  academy.hold();
  // The server frees the bytes just after it has answered: another round trip comes later than that.
  for (const session of sessions) await post(url, { jsonrpc: '2.0', id: 100, method: 'ping' }, session);
  const next = wave(101);
  await expect.poll(() => next.refused.length).toBeGreaterThanOrEqual(7);
  academy.release();
  expectShare(await next.answers);
});

test('S20: unanswered requests on stdin hold at most 8 MiB', { timeout: 30_000 }, async () => {
  const academy = await startHolding();
  const { child, ended, send, written } = start([], unlimited(academy.url, academy.apiKey));
  const wave = (first: number) => send(...Array.from({ length: 12 }, (_, index) => heavyCall(first + index)));
  const answered = () => messagesIn(written.stdout).filter(({ id }) => id !== undefined && id > 1);
  send(...hello);
  wave(100);
  await expect.poll(() => answered().length, { timeout: 15_000 }).toBe(3);
  academy.release();
  await expect.poll(() => answered().length, { timeout: 15_000 }).toBe(12);
  academy.hold();
  wave(200);
  await expect.poll(() => answered().length, { timeout: 15_000 }).toBe(15);
  academy.release();
  await expect.poll(() => answered().length, { timeout: 15_000 }).toBe(24);
  child.stdin?.end();
  await ended;
  const refused = answered().filter(({ error }) => error !== undefined);
  expect(refused).toHaveLength(6);
  expect(refused[0]?.error).toMatchObject({ code: -32000, message: expect.stringContaining('8 MiB') });
});

test('S20: a body or line with too many values is refused before it is parsed', async () => {
  const { url } = await startHttp();
  const values = JSON.stringify({ ...callMessage(2, 'get_account'), params: { name: 'x', a: Array(300_000).fill(0) } });
  const answer = await fetch(url, { method: 'POST', body: values, headers: jsonHeaders });
  expect([answer.status, await answer.json()]).toMatchObject([
    413,
    { jsonrpc: '2.0', error: { message: expect.stringContaining('200,000 values') } },
  ]);
});
