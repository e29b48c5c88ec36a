import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  callMessage,
  initialize,
  jsonHeaders,
  openSession,
  post,
  startHttp,
  withBatches,
} from '../support/http-server.ts';

const tokens = ['first-token-0123456789abcdef', 'second-token-0123456789abcdef'] as const;
const as = (token: string) => ({ authorization: `Bearer ${token}` });

test('S20: a caller who asks too much is told to wait, and others are not touched', async () => {
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

test('S20: a caller has so many requests under way at most, and gets the place back when one ends', async () => {
  const settings = { ACADEMY_HTTP_MAX_IN_FLIGHT: '3', ACADEMY_HTTP_TOKENS: tokens.join(',') };
  const { url } = await startHttp(settings, { stateless: true, sandbox: { latencyMs: 300 } });
  const ask = (id: number) => post(url, callMessage(id, 'get_course', { course_id: id }), as(tokens[0]));
  const together = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index + 1)));
  expect(together.filter(({ status }) => status === 200)).toHaveLength(3);
  expect(together.filter(({ status }) => status === 429)).toHaveLength(7);
  expect((await ask(11)).status).toBe(200);
});

const capped = { ACADEMY_HTTP_MAX_IN_FLIGHT: '2' };

/** Sends a message and leaves before it is answered. */
async function askAndLeave(url: string, message: object, headers: Record<string, string>): Promise<void> {
  const sent = { method: 'POST', body: JSON.stringify(message), headers: { ...jsonHeaders, ...headers } };
  await expect(fetch(url, { ...sent, signal: AbortSignal.timeout(100) })).rejects.toThrow();
}

test('S20: a call that its client has left keeps its place until it has ended', async () => {
  const { url } = await startHttp(capped, { sandbox: { latencyMs: 1_500 } });
  const session = await openSession(url);
  for (const id of [1, 2]) await askAndLeave(url, callMessage(id, 'get_course', { course_id: id }), session);
  const ping = () => post(url, { jsonrpc: '2.0', id: 3, method: 'ping' }, session);
  expect((await ping()).status).toBe(429);
  await expect.poll(async () => (await ping()).status, { timeout: 5_000 }).toBe(200);
});

test('S20: each message of a batch takes a place, and counts', async () => {
  const { url } = await startHttp({ ...capped, ACADEMY_HTTP_RATE_LIMIT: '20' });
  const session = await openSession(url, {}, withBatches);
  const batch = (length: number) =>
    post(
      url,
      Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })),
      session,
    );
  expect((await batch(3)).status).toBe(429);
  const statuses: number[] = [];
  for (let round = 0; round < 10; round += 1) statuses.push((await batch(2)).status);
  expect(statuses.at(0)).toBe(200);
  expect(statuses.at(-1)).toBe(429);
  expect(statuses.filter((status) => status === 200).length).toBeLessThan(10);
});

test('S20: several requests on one connection that its client leaves take no place with them', async () => {
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

test('S20: GET counts against the caller like every other request', async () => {
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
