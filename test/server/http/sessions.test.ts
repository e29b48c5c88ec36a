import { expect, test } from 'vitest';
import { fullPrincipal } from '../../../src/mcp/principal.ts';
import { createSessions, nowhere, type SessionLimits } from '../../../src/protocol/legacy/sessions.ts';
import { createMemoryStore, type SharedStore } from '../../../src/shared/shared-store.ts';
import {
  callMessage,
  initialize,
  jsonHeaders,
  modernCall,
  openSession,
  post,
  startHttp,
  withBatches,
} from '../../support/http-server.ts';

const first = { ...initialize, jsonrpc: '2.0' } as const;

/** The sessions of a real server, with a clock that the test controls. */
async function startSessions(limits: Partial<SessionLimits>, store?: SharedStore, clock = { now: 0 }) {
  const { app } = await startHttp();
  const serviceFor = () => app.serviceFor(fullPrincipal('x'), { hasUserContent: false });
  const sessions = createSessions({ serviceFor, store, onerror: () => {}, limits, now: () => clock.now });
  const open = async (caller: string) => {
    const session = await sessions.open(fullPrincipal(caller), first);
    if (session === undefined) throw new Error('there was no room');
    // Acts as the first request of the session.
    session.transport.receive([], undefined, () => {});
    return session.id;
  };
  const has = (id: string, caller: string) => sessions.find(id, fullPrincipal(caller)) !== undefined;
  return { sessions, clock, open, has };
}

test('an idle session ends, a used one does not', async () => {
  const { sessions, clock, open, has } = await startSessions({ idleMs: 1_000 });
  const [used, unused] = [await open('ann'), await open('ann')];
  clock.now = 900;
  expect(has(used, 'ann')).toBe(true);
  clock.now = 1_500;
  sessions.sweep();
  expect(sessions.count()).toBe(1);
  expect(has(unused, 'ann')).toBe(false);
  clock.now = 10_000;
  sessions.sweep();
  expect(sessions.count()).toBe(0);
});

test('a caller with too many sessions loses the oldest, and other callers lose none', async () => {
  const { open, has } = await startSessions({ perCaller: 2 });
  const other = await open('ben');
  const [first, second, third] = [await open('ann'), await open('ann'), await open('ann')];
  expect([has(first, 'ann'), has(second, 'ann'), has(third, 'ann'), has(other, 'ben')]).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

test('a new session is not evicted before its first request', async () => {
  const { sessions } = await startSessions({ perCaller: 1 });
  const [one, other] = await Promise.all([
    sessions.open(fullPrincipal('ann'), first),
    sessions.open(fullPrincipal('ann'), first),
  ]);
  expect([one, other].filter((session) => session !== undefined)).toHaveLength(1);
});

test('busy sessions are not evicted', async () => {
  const { sessions, open } = await startSessions({ perCaller: 1 });
  const busy = sessions.find(await open('ann'), fullPrincipal('ann'));
  busy?.transport.openEventStream(nowhere);
  expect(await sessions.open(fullPrincipal('ann'), first)).toBeUndefined();
  expect(await sessions.open(fullPrincipal('ben'), first)).toBeDefined();
});

test('a session that only listens stays known to the other replicas', async () => {
  const clock = { now: 0 };
  const store = createMemoryStore({ now: () => clock.now });
  const one = await startSessions({ idleMs: 1_000 }, store, clock);
  const other = await startSessions({ idleMs: 1_000 }, store, clock);
  const ann = fullPrincipal('ann');
  const session = one.sessions.find(await one.open('ann'), ann);
  if (session === undefined) throw new Error('the session is gone');
  session.transport.openEventStream(nowhere);
  for (; clock.now < 3_000; clock.now += 100) one.sessions.sweep();
  expect(await other.sessions.revive(session.id, ann)).toBeDefined();
});

test('a session that its client ended no longer exists', async () => {
  const { url } = await startHttp();
  const session = await openSession(url);
  const ended = await fetch(url, { method: 'DELETE', headers: { ...jsonHeaders, ...session } });
  expect(ended.status).toBe(200);
  expect((await post(url, callMessage(2, 'get_account'), session)).status).toBe(404);
});

test('notifications are accepted without an answer', async () => {
  const { url } = await startHttp();
  const session = await openSession(url);
  const { status, text } = await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  expect([status, text]).toEqual([202, '']);
});

test('a batch is answered on one stream, each message once', async () => {
  const { url } = await startHttp();
  const session = await openSession(url, {}, withBatches);
  const batch = [
    callMessage('a', 'get_account'),
    { jsonrpc: '2.0', id: 'b', method: 'ping' },
    callMessage('c', 'list_roles'),
  ];
  const { text } = await post(url, batch, session);
  const ids = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '{}']) => JSON.parse(data).id);
  expect(ids.sort()).toEqual(['a', 'b', 'c']);
});

test('a batch is refused in versions without batches, and if two of its ids are identical', async () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const refused = (message: RegExp) => ({
    status: 400,
    json: { error: { code: -32600, message: expect.stringMatching(message) } },
  });
  const { url } = await startHttp();
  for (const version of ['2024-11-05', '2025-06-18', '2025-11-25']) {
    const session = await openSession(url, {}, version);
    expect(await post(url, [ping(1), ping(2)], session), version).toMatchObject(refused(/only in version 2025-03-26/));
  }
  const session = await openSession(url, {}, withBatches);
  expect(await post(url, [ping(1), ping(1)], session)).toMatchObject(refused(/same id/));
  const alone = await startHttp({}, { stateless: true });
  const of = (version: string) => post(alone.url, [ping(1), ping(2)], { 'mcp-protocol-version': version });
  expect((await of(withBatches)).status).toBe(200);
  expect(await of('2025-11-25')).toMatchObject(refused(/only in version 2025-03-26/));
});

test('an id of a pending request is refused', async () => {
  const { url } = await startHttp({}, { sandbox: { latencyMs: 300 } });
  const session = await openSession(url);
  const first = post(url, callMessage(7, 'get_account'), session);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect((await post(url, callMessage(7, 'list_roles'), session)).status).toBe(400);
  expect((await first).json).toMatchObject({ id: 7, result: expect.any(Object) });
});

test('a session has one stream, which opens at once', async () => {
  const { url } = await startHttp();
  const session = await openSession(url);
  const leaving = new AbortController();
  const listen = () => fetch(url, { headers: { ...jsonHeaders, ...session }, signal: leaving.signal });
  const stream = await listen();
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect((await listen()).status).toBe(409);
  leaving.abort();
  await expect.poll(async () => (await fetch(url, { headers: { ...jsonHeaders, ...session } })).status).toBe(200);
});

test('the stream of a cancelled call ends', async () => {
  const { url } = await startHttp({}, { sandbox: { latencyMs: 2_000 } });
  const session = await openSession(url);
  const call = post(url, callMessage(5, 'get_account'), session);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }, session);
  const { status, text } = await call;
  expect([status, text]).toEqual([200, '']);
});

test('a client that disconnects during a call keeps its session, and the call continues', async () => {
  const { url, sandbox, log } = await startHttp({}, { sandbox: { latencyMs: 300 } });
  const session = await openSession(url);
  const before = sandbox.academy.community.channels.all().length;
  const leaving = AbortSignal.timeout(100);
  const body = JSON.stringify(callMessage(5, 'create_channel', { name: 'Left alone' }));
  await expect(
    fetch(url, { method: 'POST', body, headers: { ...jsonHeaders, ...session }, signal: leaving }),
  ).rejects.toThrow();
  const leftLine = () => log.find((line) => line.includes('connection closed before the answer was complete'));
  await expect.poll(leftLine).toBeDefined();
  expect(JSON.parse(leftLine() ?? '')).not.toHaveProperty('status');
  await expect.poll(() => sandbox.academy.community.channels.all().length, { timeout: 5_000 }).toBe(before + 1);
  expect((await post(url, { jsonrpc: '2.0', id: 6, method: 'ping' }, session)).status).toBe(200);
});

test('initialize as a notification opens no session', async () => {
  const { url } = await startHttp();
  const { id: _id, ...notification } = initialize;
  expect((await post(url, notification)).status).toBe(400);
  expect((await post(url, notification, await openSession(url))).status).toBe(202);
});

test('a failed initialize opens no session and explains why', async () => {
  const { url, origin } = await startHttp();
  const { params } = initialize;
  const wrong: [params: unknown, words: string][] = [
    [undefined, 'protocolVersion must be text'],
    [{}, 'protocolVersion must be text'],
    [{ ...params, protocolVersion: 5 }, 'protocolVersion must be text'],
    [{ ...params, capabilities: undefined }, 'capabilities must be an object'],
    [{ ...params, clientInfo: { name: 'x' } }, 'clientInfo.version must be text'],
    [{ ...params, capabilities: { roots: 5 } }, 'they do not match initialize'],
  ];
  for (const [given, words] of wrong) {
    const { headers, json } = await post(url, { ...initialize, params: given });
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(json).toMatchObject({ id: 1, error: { code: -32602, message: `Invalid params: ${words}` } });
  }
  expect(await (await fetch(`${origin}/metrics`)).text()).toContain('\nacademy_mcp_sessions 0\n');
});

test('a call with invalid params gets a clear error', async () => {
  const { url } = await startHttp();
  const session = await openSession(url);
  const { message, headers } = modernCall('get_account', {});
  const { _meta } = message.params;
  for (const params of [undefined, {}, { name: 5 }, { name: 'get_account', arguments: [] }]) {
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call' };
    const error = { code: -32602, message: expect.stringMatching(/^Invalid params: \w+ must be/) };
    expect((await post(url, { ...call, params }, session)).json).toMatchObject({ id: 2, error });
    const modern = { ...call, params: { ...params, _meta } };
    expect((await post(url, modern, headers)).json).toMatchObject({ id: 2, error });
  }
});

test('initialize is refused in a batch, and each one opens a session', async () => {
  const { url } = await startHttp();
  expect((await post(url, [initialize, { jsonrpc: '2.0', id: 2, method: 'ping' }])).status).toBe(400);
  const sessions = [await openSession(url), await openSession(url)];
  expect(new Set(sessions.map((session) => session['mcp-session-id'])).size).toBe(2);
});
