import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { everyCall } from '../support/every-call.ts';
import { callMessage, openSession, post, startHttp } from '../support/http-server.ts';
import { runsOf } from '../support/long-form.ts';
import { startRecorder } from '../support/recorder.ts';

const token = 'CANARY-IN-0123456789-abcdefgh';

/** The server over HTTP, with a recorder of every request between server and academy. */
async function startWatched(settings: Record<string, string> = {}) {
  const recorder = await startRecorder({
    status: 404,
    body: { error: 'Not found', errors: [{ code: 'not_found', message: 'x' }] },
  });
  const server = await startHttp(
    { ACADEMY_HTTP_TOKENS: token, ACADEMY_PREFLIGHT: 'false', ...settings },
    { baseUrl: recorder.url },
  );
  const headers = await openSession(server.url, { authorization: `Bearer ${token}` });
  let id = 1;
  const call = (name: string, args: Record<string, unknown>) => {
    id += 1;
    return post(server.url, callMessage(id, name, args), headers);
  };
  return { ...server, requests: recorder.requests, call };
}

test("S6: a caller's token is never forwarded: every tool sends only our key to the academy", async () => {
  const { requests, call, sandbox } = await startWatched();
  for (const [name, args] of Object.entries(everyCall)) await call(name, args);
  expect(requests.length).toBeGreaterThanOrEqual(Object.keys(everyCall).length);
  for (const { headers, raw, path, query } of requests) {
    expect(headers.authorization).toBe(`Bearer ${sandbox.apiKey}`);
    expect(JSON.stringify([headers, raw, path, query])).not.toContain('CANARY-IN');
  }
});

test('S7: redirects are not followed, so the key reaches only one server', async () => {
  const other = await startRecorder({ body: {} });
  for (const status of [301, 302, 303, 307, 308]) {
    const academy = await startRecorder({ status, headers: { location: `${other.url}/api/v1/account` } });
    const { url } = await startHttp({}, { baseUrl: academy.url });
    const headers = await openSession(url);
    for (const [name, args] of [
      ['get_account', {}],
      ['create_channel', { name: 'x' }],
    ] as const) {
      const { json } = await post(url, callMessage(2, name, args), headers);
      expect(json.result, `${status} ${name}`).toMatchObject({ isError: true });
    }
    expect(academy.requests.length).toBeGreaterThan(0);
  }
  expect(other.requests).toEqual([]);
});

const badBases = [
  'ftp://academy.example.com',
  'file:///etc/passwd',
  'http://academy.example.com',
  'http://169.254.169.254',
  'http://[fe80::1]',
  'http://127.0.0.1.evil.example',
  'http://localhost.evil.example',
  'http://0x7f000001.evil.example',
  'https://user@academy.example.com',
  'https://user:pw@academy.example.com',
  'https://academy.example.com?x=1',
  'https://academy.example.com#x',
  'https://academy.example.com/api/v1',
  'https://academy.example.com/api/v1/',
  'javascript:alert(1)',
  'data:text/plain,x',
  'gopher://academy.example.com',
  '//academy.example.com',
  'unix:/var/run/x.sock',
];

test('S8: the academy address comes only from the settings, and must be https or on this machine', () => {
  for (const base of badBases) {
    expect(() => loadConfig({}, { ACADEMY_BASE_URL: base, ACADEMY_API_KEY: 'k' }), base).toThrow(/^ACADEMY_BASE_URL/);
  }
  // Without a scheme it is https.
  const { baseUrl } = loadConfig({}, { ACADEMY_BASE_URL: 'academy.example.com', ACADEMY_API_KEY: 'k' });
  expect(baseUrl.href).toBe('https://academy.example.com/');
});

test('S8: URLs in arguments are plain text: no tool sends a request to another server', async () => {
  const evil = await startRecorder({ body: {} });
  const { call, requests } = await startWatched();
  const before = requests.length;
  for (const [name, args] of Object.entries(everyCall)) {
    const strings = Object.entries(args).map(([key, value]) => [
      key,
      typeof value === 'string' && key !== 'email' && key !== 'user_email' && key !== 'product_type' ? evil.url : value,
    ]);
    await call(name, Object.fromEntries(strings));
  }
  expect(requests.length).toBeGreaterThan(before);
  expect(evil.requests).toEqual([]);
});

/** Each tool with a text value in its path, and the path that it must not leave. */
const pathTools: [tool: string, argument: string, more: Record<string, unknown>, path: RegExp][] = [
  ['get_order', 'order_id', {}, /^\/api\/v1\/orders\/[^/]+$/],
  ['get_channel', 'id_or_slug', {}, /^\/api\/v1\/community\/channels\/[^/]+$/],
  ['update_channel', 'id_or_slug', { name: 'x' }, /^\/api\/v1\/community\/channels\/[^/]+$/],
  ['search_posts', 'id_or_slug', {}, /^\/api\/v1\/community\/channels\/[^/]+\/posts$/],
  ['get_product', 'id_or_slug', { product_type: 'course' }, /^\/api\/v1\/products\/(course|challenge)\/[^/]+$/],
  ['update_product', 'id_or_slug', { product_type: 'course', title: 'x' }, /^\/api\/v1\/products\/course\/[^/]+$/],
];

const tricks = [
  '.',
  '..',
  '../students',
  '..%2fstudents',
  '%2e%2e',
  '%2e%2e/x',
  '..;/x',
  'a/../b',
  'a/b',
  'a\\b',
  '..\\..\\x',
  '',
  '/',
  '//evil',
  'a?b=c',
  'a#b',
  '%00',
  'a\u0000b',
  'a b',
  'a\r\nX: y',
  '\uFF0E\uFF0E',
  '\uFF0F',
  'https://evil.example',
  ';x',
];

test('S9: no value escapes the path of its operation', { timeout: 120_000 }, async () => {
  const { call, requests } = await startWatched({ ACADEMY_HTTP_RATE_LIMIT: 'off' });
  const anything = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 20 }), fc.webPath());
  const values = [...tricks, ...fc.sample(anything, { numRuns: runsOf(300), seed: 20261121 })];
  for (const [tool, argument, more, path] of pathTools) {
    const before = requests.length;
    for (const value of values) {
      await call(tool, { [argument]: value, ...more });
    }
    for (const request of requests.slice(before)) expect(request.path, tool).toMatch(path);
    expect(requests.length, tool).toBeGreaterThan(before);
  }
});

test('S9: known path tricks are refused before anything is sent', async () => {
  const { call, requests } = await startWatched();
  for (const [tool, argument, more] of pathTools) {
    for (const value of tricks) {
      const { json } = await call(tool, { [argument]: value, ...more });
      expect(json.result, `${tool} ${JSON.stringify(value)}`).toMatchObject({ isError: true });
    }
  }
  expect(requests).toEqual([]);
});
