import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createApi, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { catalog } from '../../tools/catalog.ts';
import { type Figure, measured } from '../reliability/figure.ts';
import { figure as canaries, hits } from '../reliability/figures/f14-canaries.ts';
import { figure as injection } from '../reliability/figures/f15-injection.ts';
import { at } from '../support/academy.ts';
import { connect, serverFor } from '../support/connect.ts';
import { everyCall } from '../support/every-call.ts';
import { callMessage, openSession, post, startHttp } from '../support/http-server.ts';
import { startRecorder } from '../support/recorder.ts';

async function expectClean(figure: Figure): Promise<void> {
  const { failures, zeros } = await measured(figure, 'short', 1);
  expect(failures).toEqual([]);
  expect(zeros[0]?.of).toBeGreaterThan(0);
}

/** The server over HTTP, with an academy that gives the same answer to every request. */
async function startSaying(body: unknown, status = 200) {
  const recorder = await startRecorder({ status, body });
  const { url } = await startHttp(
    { ACADEMY_PREFLIGHT: 'false', ACADEMY_CONFIRM: 'argument' },
    { baseUrl: recorder.url },
  );
  const headers = await openSession(url);
  const call = async (name: string, args: Record<string, unknown>) => {
    const { json, status: answered } = await post(url, callMessage(2, name, args), headers);
    return { status: answered, ...(json.result as { isError?: boolean; content: { text: string }[] }) };
  };
  return { call, url, headers, requests: recorder.requests };
}

test('S10: an unknown argument, a too long text and too deep nesting are refused, and nothing is sent', async () => {
  const { call, url, headers, requests } = await startSaying({});
  for (const [name, args] of Object.entries(everyCall)) {
    const unknown = await call(name, { ...args, __proto__x: 1 });
    expect(unknown.isError, name).toBe(true);
    expect(at(unknown.content, 0).text, name).toMatch(/^invalid_input: .*__proto__x/);
  }
  const long = 'a'.repeat(1_000_000);
  for (const [name, args] of [
    ['create_channel', { name: long }],
    ['search_products', { query: long }],
    ['get_student_details', { email: `${long}@example.com` }],
    ['get_channel', { id_or_slug: long }],
  ] as const) {
    const { isError, content } = await call(name, args);
    expect(isError, name).toBe(true);
    expect(at(content, 0).text.length, name).toBeLessThan(2_000);
  }
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const body = JSON.stringify(callMessage(3, 'get_course', { course_id: 'DEEP' })).replace('"DEEP"', deep);
  const { status, json } = await post(url, body, headers);
  expect(status).toBe(200);
  expect(json).toMatchObject({ result: { isError: true } });
  expect(requests).toEqual([]);
});

test('S11: hostile text stays inside its envelope in every answer with member-written text', async () => {
  await expectClean(injection);
});

test('S11: every call has new fence markers', async () => {
  const { call } = await startSaying({ posts: [{ id: 1, content: 'two\nlines' }] });
  const marks = [];
  for (let index = 0; index < 5; index += 1) {
    const { content } = await call('search_posts', { id_or_slug: '1' });
    marks.push(/<untrusted-data-([0-9a-f]{32})>/.exec(at(content, 0).text)?.[1]);
  }
  expect(new Set(marks).size).toBe(5);
  expect(marks).not.toContain(undefined);
});

test('S12: an API error reaches the model cut and cleaned, without key, address or stack trace', async () => {
  const hostile = `<html>sandbox-admin-key at Object.<anonymous> (/srv/app/models/user.rb:12:3) https://internal.example/api?key=SECRET\u202e${'x'.repeat(3_000)}`;
  for (const status of [400, 401, 403, 404, 409, 418, 422, 500, 503]) {
    const { call } = await startSaying({ error: hostile, errors: [{ code: 'c', message: hostile }] }, status);
    for (const name of ['get_account', 'create_channel', 'revoke_course']) {
      const { isError, content } = await call(name, everyCall[name] ?? {});
      const { text } = at(content, 0);
      expect(isError, `${name} ${status}`).toBe(true);
      expect(text.length, `${name} ${status}`).toBeLessThan(1_800);
      expect(text, `${name} ${status}`).not.toMatch(/sandbox-admin-key|\u202e|127\.0\.0\.1|node_modules|\.ts:\d/);
    }
  }
});

test('S18: key, tokens, names and emails reach no output, no log and no start-up error, even at level trace', async () => {
  await expectClean(canaries);
});

test('S18: a key with quotes and backslashes is hidden in texts that an answer quotes, too', async () => {
  const key = 'CANARY"\\KEY-0123456789';
  for (const [status, body] of [
    [422, { error: `${key} is refused`, errors: [{ code: key, message: key }], request_id: key }],
    [200, { courses: [{ id: 1, title: `"${key}"`, slug: key }] }],
  ] as const) {
    const { url } = await startRecorder({ status, body });
    const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_API_KEY: key });
    const { text } = await call('list_courses');
    expect(text).toContain('[hidden]');
    expect(text).not.toContain('KEY-0123456789');
  }
});

test('S18: the log of the HTTP server contains no token, argument or answer', async () => {
  const token = 'CANARYTOKEN-0123456789-abcdef';
  const { url, log, sandbox } = await startHttp({ ACADEMY_HTTP_TOKENS: token, LOG_LEVEL: 'trace' });
  const headers = await openSession(url, { authorization: `Bearer ${token}` });
  const [student] = sandbox.academy.students.all();
  const { email = '', name = '' } = student ?? {};
  await post(url, callMessage(2, 'get_student_details', { email }), headers);
  await post(url, '{"broken', headers);
  await post(`${url}?email=${email}`, callMessage(3, 'get_account'), headers);
  const output = log.join('');
  expect(output).toContain('answered');
  expect(hits(output, { token, email, name, key: sandbox.apiKey })).toEqual([]);
});

test('S23: printing an object never shows its secrets, and no secret has a flag', async () => {
  const secrets = {
    ACADEMY_API_KEY: 'CANARYKEY-0123456789',
    ACADEMY_CONFIRM_SECRET: 'CANARYCONFIRM-0123456789',
    ACADEMY_HTTP_TOKENS: 'CANARYTOKEN-0123456789-abcdef,CANARYOTHER-0123456789-abcdef',
    ACADEMY_METRICS_TOKEN: 'CANARYMETRICS-0123456789-abcd',
  };
  const config = loadConfig({}, { ACADEMY_BASE_URL: 'https://academy.example.com', ...secrets });
  const log = createLogger('silent', [], { write: () => {} });
  const [api, app] = [createApi(config, log), createApp({ config, ...catalog, log })];
  onTestFinished(async () => {
    await api.close();
    await app.close();
  });
  // Without `getters`: reading those of zod breaks its schemas.
  const deep = { depth: 14, showHidden: true, maxArrayLength: null, maxStringLength: null };
  for (const object of [config, api, app, serverFor(app, 'test'), log]) {
    const printed = [inspect(object), String(object), inspect([{ object }], deep)].join('\n');
    expect(printed).not.toContain('CANARY');
  }
  for (const object of [config, api]) expect(JSON.stringify(object)).not.toContain('CANARY');
});
