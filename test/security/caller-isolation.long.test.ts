import { expect, test } from 'vitest';
import { at } from '../support/academy.ts';
import {
  callerTokens,
  callMessage,
  initialize,
  jsonHeaders,
  modernCall,
  openSession,
  post,
  startHttp,
  withBatches,
} from '../support/http-server.ts';
import { isLong } from '../support/long-form.ts';
import { rawRequest } from '../support/raw-request.ts';
import { bearer } from '../support/sandbox.ts';

/** Clients at the same time. */
const clientCount = isLong ? 200 : 30;

for (const stateless of [false, true]) {
  test(`S17: ${clientCount} clients with the same ids each get their own answers, ${stateless ? 'without sessions' : 'in sessions'}`, {
    timeout: 120_000,
  }, async () => {
    // Four callers: each can have at most a hundred sessions.
    const callers = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(24));
    const settings = {
      ACADEMY_HTTP_TOKENS: callers.join(','),
      ACADEMY_HTTP_RATE_LIMIT: 'off',
      ACADEMY_HTTP_MAX_IN_FLIGHT: '1000',
      LOG_LEVEL: 'warn',
    };
    const { url, sandbox } = await startHttp(settings, { stateless, sandbox: { students: 200 } });
    const emails = sandbox.academy.students.all().map(({ email }) => email);
    const clients = await Promise.all(
      Array.from({ length: clientCount }, async (_, index) => ({
        email: at(emails, index % emails.length),
        headers: stateless ? bearer(at(callers, index % 4)) : await openSession(url, bearer(at(callers, index % 4))),
      })),
    );
    let wrong = 0;
    for (let round = 1; round <= 10; round += 1) {
      const answers = clients.map(async ({ email, headers }) => {
        const { json } = await post(url, callMessage(round, 'get_student_details', { email }), headers);
        const { structuredContent } = json.result as { structuredContent: { email?: string } };
        if (json.id !== round || structuredContent.email !== email) wrong += 1;
      });
      await Promise.all(answers);
    }
    expect(wrong).toBe(0);
  });
}

test('S17: a session belongs to its caller, and nobody else learns that it exists', async () => {
  const { url } = await startHttp({ ACADEMY_HTTP_TOKENS: callerTokens.join(',') });
  const mine = await openSession(url, bearer(callerTokens[0]));
  const session = mine['mcp-session-id'];
  const stolen = { ...bearer(callerTokens[1]), 'mcp-session-id': session };
  const foreign = await post(url, callMessage(2, 'get_account'), stolen);
  const unknown = await post(url, callMessage(2, 'get_account'), {
    ...bearer(callerTokens[1]),
    'mcp-session-id': 'no-such-session',
  });
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  for (const method of ['GET', 'DELETE']) {
    const { status } = await fetch(url, { method, headers: { ...jsonHeaders, ...stolen } });
    expect(status, method).toBe(404);
  }
  expect((await post(url, callMessage(2, 'get_account'), mine)).status).toBe(200);
});

test('S17: a caller has at most 100 sessions, and all callers at most 1,000', { timeout: 60_000 }, async () => {
  const callers = Array.from({ length: 11 }, (_, index) => String(index).padStart(24, 'x'));
  const settings = { ACADEMY_HTTP_TOKENS: callers.join(','), ACADEMY_HTTP_RATE_LIMIT: 'off', LOG_LEVEL: 'warn' };
  const { url, origin } = await startHttp(settings);
  const count = async () => /^academy_mcp_sessions (\d+)$/m.exec(await (await fetch(`${origin}/metrics`)).text())?.[1];
  for (let session = 1; session <= 101; session += 1) await openUsed(url, at(callers, 0));
  expect(await count()).toBe('100');
  for (const caller of callers.slice(1)) for (let session = 1; session <= 91; session += 1) await openUsed(url, caller);
  expect(await count()).toBe('1000');
});

test('S17: session ids cannot be guessed', async () => {
  const { url } = await startHttp();
  const ids = await Promise.all(Array.from({ length: 20 }, async () => (await openSession(url))['mcp-session-id']));
  expect(new Set(ids).size).toBe(20);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

/** Sends the first request: a new session counts as busy and cannot be evicted. */
async function openUsed(url: string, token: string): Promise<void> {
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, await openSession(url, bearer(token)));
}

const host = (url: string) => ['host', new URL(url).host] as const;

test('S19: every refusal is JSON without a stack trace, a file path or an echo', async () => {
  const { url, origin, log } = await startHttp();
  const session = await openSession(url);
  const old = await openSession(url, {}, withBatches);
  const marker = 'ECHO-MARKER';
  const message = JSON.stringify(callMessage(2, marker));
  const refused: [what: string, status: number, answer: Promise<{ status: number; text: string; headers: unknown }>][] =
    [
      ['no JSON', 400, post(url, `{"${marker}`, session)],
      ['no UTF-8', 400, rawRequest(url, 'POST', [host(url), ...Object.entries(jsonHeaders)], '\u00ff\ud800')],
      ['an empty batch', 400, post(url, [], old)],
      [
        'a batch of 21',
        400,
        post(
          url,
          Array.from({ length: 21 }, (_, id) => callMessage(id, marker)),
          old,
        ),
      ],
      ['no message', 400, post(url, { marker }, session)],
      ['null', 400, post(url, 'null', session)],
      ['a number', 400, post(url, '7', session)],
      ['an id that is none', 400, post(url, { jsonrpc: '2.0', id: { marker }, method: 'ping' }, session)],
      ['no session', 400, post(url, message)],
      ['another version', 400, post(url, message, { ...session, 'mcp-protocol-version': '1999-01-01' })],
      ['an unknown session', 404, post(url, message, { 'mcp-session-id': marker })],
      ['an unknown address', 404, post(`${origin}/${marker}`, message)],
      [
        'a method that is not served',
        405,
        rawRequest(url, 'PUT', [host(url), ...Object.entries(jsonHeaders)], message),
      ],
      ['JSON alone accepted', 406, post(url, message, { ...session, accept: 'application/json' })],
      [
        'a body that is too long',
        413,
        post(url, JSON.stringify(callMessage(2, marker, { a: 'x'.repeat(2 ** 20) })), session),
      ],
      ['a type that is no JSON', 415, post(url, message, { ...session, 'content-type': 'text/plain' })],
      [
        'a type that only looks like JSON',
        415,
        post(url, message, { ...session, 'content-type': 'application/jsonx' }),
      ],
      ['a packed body', 415, post(url, message, { ...session, 'content-encoding': 'gzip' })],
      ['headers of 20 KiB', 431, rawRequest(url, 'GET', [host(url), ['x-long', 'x'.repeat(20_000)]])],
    ];
  for (const [what, status, asked] of refused) {
    const answer = await asked;
    expect(answer.status, what).toBe(status);
    expect(JSON.parse(answer.text), what).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    expect(answer.text, what).not.toMatch(/ECHO-MARKER|\.ts:|\.js:|node_modules|at \w+ \(/);
  }
  expect(log.join('')).not.toContain(marker);
  // The server still answers.
  expect((await post(url, callMessage(3, 'get_account'), session)).status).toBe(200);
});

test('S19: a client that sends too much gets an error instead of a reset', async () => {
  const { url } = await startHttp();
  for (const megabytes of [1, 4, 16]) {
    const body = JSON.stringify(callMessage(1, 'get_account', { a: 'x'.repeat(megabytes * 2 ** 20) }));
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(url, body)));
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413, 413]);
  }
});

test('S19: an unsupported version is refused without sessions as well', async () => {
  const { url } = await startHttp({}, { stateless: true });
  const call = callMessage(2, 'get_account');
  expect((await post(url, call, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  expect((await post(url, call, { 'mcp-protocol-version': '2025-11-25' })).status).toBe(200);
});

test('S19: no answer can be cached or read as another type', async () => {
  const { url, origin } = await startHttp();
  const { message, headers } = modernCall('get_account', {});
  const answers = [await post(url, message, headers), await post(url, initialize), await post(url, '{')];
  for (const path of ['/healthz', '/metrics', '/nowhere']) answers.push(await post(origin + path, '{}'));
  for (const answer of [...answers, await fetch(`${origin}/metrics`), await fetch(`${origin}/readyz`)]) {
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('S19: without sessions, GET and DELETE return 405', async () => {
  const { url } = await startHttp({}, { stateless: true });
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(url, { method, headers: jsonHeaders });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  }
});
