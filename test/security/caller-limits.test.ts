import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  callMessage,
  initialize,
  jsonHeaders,
  modernCall,
  openSession,
  post,
  startHttp,
  withBatches,
} from '../support/http-server.ts';

const tokens = ['first-token-0123456789abcdef', 'second-token-0123456789abcdef'] as const;
const as = (token: string) => ({ authorization: `Bearer ${token}` });

test('S20: a caller over the rate limit is told to wait, and others are not affected', async () => {
  const { url } = await startHttp(
    { ACADEMY_HTTP_TOKENS: tokens.join(','), ACADEMY_HTTP_RATE_LIMIT: '200' },
    { stateless: true },
  );
  const flood: Awaited<ReturnType<typeof post>>[] = [];
  for (let wave = 0; wave < 4; wave += 1) {
    const calls = Array.from({ length: 250 }, (_, index) =>
      post(url, callMessage(index, 'get_account'), as(tokens[0])),
    );
    flood.push(...(await Promise.all(calls)));
  }
  const refused = flood.filter(({ status }) => status === 429);
  expect(flood.length - refused.length).toBeLessThanOrEqual(200);
  expect(refused.length).toBeGreaterThanOrEqual(800);
  for (const { headers, json } of refused) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(json).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringContaining('Too many requests') } });
  }
  expect((await post(url, initialize, as(tokens[1]))).status).toBe(200);
});

test('S20: concurrent requests of a caller are limited, and each completed request frees its slot', async () => {
  const settings = { ACADEMY_HTTP_MAX_IN_FLIGHT: '3', ACADEMY_HTTP_TOKENS: tokens.join(',') };
  const { url } = await startHttp(settings, { stateless: true, sandbox: { latencyMs: 300 } });
  const ask = (id: number) => post(url, callMessage(id, 'get_course', { course_id: id }), as(tokens[0]));
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
