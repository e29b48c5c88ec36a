import { Agent, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { at } from '../../support/academy.ts';
import {
  callMessage,
  initialize,
  jsonHeaders,
  modernCall,
  openSession,
  post,
  startHttp,
} from '../../support/http-server.ts';
import { freePort } from '../../support/listen.ts';
import { startHttpProgram } from '../../support/program.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { startRecorder } from '../../support/recorder.ts';
import { collectWarnings } from '../../support/warnings.ts';

const get = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  return { status: response.status, text: await response.text() };
};

test('health and readiness need no request to the academy', async () => {
  const academy = await startRecorder({ body: {} });
  const { origin } = await startHttp({}, { baseUrl: academy.url });
  expect(await get(`${origin}/healthz`)).toEqual({ status: 200, text: '{"status":"ok"}' });
  expect(await get(`${origin}/readyz`)).toEqual({ status: 200, text: '{"ready":true}' });
  expect(academy.requests).toEqual([]);
});

test('a server with a refused key is alive but not ready', async () => {
  const academy = await startRecorder({ status: 401, body: { error: 'Unauthorized' } });
  const { url, origin } = await startHttp({}, { baseUrl: academy.url });
  await post(url, callMessage(2, 'get_account'), await openSession(url));
  expect((await get(`${origin}/healthz`)).status).toBe(200);
  expect(await get(`${origin}/readyz`)).toEqual({
    status: 503,
    text: '{"ready":false,"reason":"the API refuses the key"}',
  });
});

test('a stopping server accepts nothing new, is not ready, and lets running calls finish', async () => {
  const { url, drain } = await startHttp({}, { sandbox: { latencyMs: 500 } });
  const session = await openSession(url);
  const running = post(url, callMessage(2, 'get_account'), session);
  await new Promise((resolve) => setTimeout(resolve, 150));
  const ended = drain();
  const { json } = await running;
  expect(json).toMatchObject({ id: 2, result: { structuredContent: expect.any(Object) } });
  await ended;
  await expect(get(url)).rejects.toThrow();
});

/** A GET on the one connection of an agent. */
function getThrough(
  agent: Agent,
  url: string,
): Promise<{ status: number | undefined; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent }, (response) => {
      response.resume().once('end', () => {
        resolve({ status: response.statusCode, connection: response.headers.connection });
      });
    });
    asked.once('error', reject).end();
  });
}

test('a draining server is not ready, answers calls, and then serves each open connection once more', async () => {
  const { url, origin, drain } = await startHttp({ ACADEMY_HTTP_DRAIN_MS: '1000' });
  const session = await openSession(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await getThrough(agent, `${origin}/healthz`)).toEqual({ status: 200, connection: 'keep-alive' });
  const ended = drain();
  expect(await get(`${origin}/readyz`)).toEqual({ status: 503, text: '{"ready":false,"reason":"shutting down"}' });
  const { json } = await post(url, callMessage(2, 'get_account'), session);
  expect(json).toMatchObject({ id: 2, result: { structuredContent: expect.any(Object) } });
  const isRefused = () =>
    get(`${origin}/healthz`).then(
      () => false,
      () => true,
    );
  await expect.poll(isRefused).toBe(true);
  expect(await getThrough(agent, `${origin}/healthz`)).toEqual({ status: 200, connection: 'close' });
  await ended;
  agent.destroy();
});

test('a stopping server waits for a write that was sent', async () => {
  const { url, drain, sandbox } = await startHttp({ ACADEMY_PREFLIGHT: 'false' }, { sandbox: { latencyMs: 400 } });
  const session = await openSession(url);
  const before = sandbox.academy.community.channels.all().length;
  const running = post(url, callMessage(2, 'create_channel', { name: 'Last words' }), session);
  await new Promise((resolve) => setTimeout(resolve, 150));
  await drain();
  expect((await running).json).toMatchObject({ result: { structuredContent: { outcome: 'applied' } } });
  expect(sandbox.academy.community.channels.all()).toHaveLength(before + 1);
});

test('a queued call ends with "nothing was sent" when the server stops', async () => {
  const academy = await startRecorder({ status: 429, headers: { 'retry-after': '20' }, body: {} });
  const { url, drain } = await startHttp({}, { baseUrl: academy.url });
  const session = await openSession(url);
  const waiting = post(url, callMessage(2, 'create_channel', { name: 'x' }), session);
  await expect.poll(() => academy.requests.length).toBe(1);
  await drain();
  const { json } = await waiting;
  expect(json).toMatchObject({
    result: { isError: true, content: [{ text: expect.stringContaining('Outcome: not_applied') }] },
  });
});

/** Calls a tool in a session with elicitation. Resolves with the first event, which is the question. */
async function askPerson(url: string, args: Record<string, unknown>): Promise<Response> {
  const params = { ...initialize.params, capabilities: { elicitation: {} } };
  const { headers } = await post(url, { ...initialize, params });
  const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
  const body = JSON.stringify(callMessage(2, 'unenroll_student', { ...args, confirm: true }));
  return await fetch(url, { method: 'POST', body, headers: { ...jsonHeaders, ...session } });
}

test('a call that waits for a person ends at once with "nothing was sent" when the server stops', async () => {
  const warnings = collectWarnings();
  const { url, drain, sandbox } = await startHttp();
  const { email, name } = at(sandbox.academy.students.all(), 0);
  const asked = await Promise.all(Array.from({ length: 12 }, () => askPerson(url, { email, name })));
  await drain();
  for (const each of asked) {
    const [question, answer] = (await each.text()).matchAll(/^data: (.*)$/gm);
    expect(JSON.parse(question?.[1] ?? '')).toMatchObject({ method: 'elicitation/create' });
    const { id, result } = JSON.parse(answer?.[1] ?? '{}');
    expect(id).toBe(2);
    expect(result.content[0].text).toMatch(/^cancelled: [\s\S]*Outcome: not_applied$/);
  }
  expect(warnings).toEqual([]);
});

test('the program ends with code 0 on SIGTERM, even with open streams and sessions', async () => {
  const { url, end, lastWords } = await startHttpProgram({ environment: {}, flags: ['--sandbox'] });
  const session = await openSession(url);
  const stream = await fetch(url, { headers: { accept: 'text/event-stream', ...session } });
  expect(stream.status).toBe(200);
  expect(await end()).toMatchObject({ code: 0 });
  expect(lastWords()).toBe('');
});

test('metrics count calls, errors and requests, and contain no names', async () => {
  const { url, origin, sandbox } = await startHttp({ ACADEMY_RATE_LIMIT: '300' });
  const session = await openSession(url);
  const email = sandbox.academy.students.all()[0]?.email ?? '';
  await post(url, callMessage(2, 'get_student_details', { email }), session);
  await post(url, callMessage(3, 'get_course', { course_id: 999_999 }), session);
  await post(url, callMessage(4, 'get_course', {}), session);
  await post(url, callMessage(5, `drop_${email}`), session);
  const { status, text } = await get(`${origin}/metrics`);
  expect(status).toBe(200);
  for (const line of [
    'academy_mcp_tool_calls_total{tool="get_student_details",code="ok"} 1',
    'academy_mcp_tool_calls_total{tool="get_course",code="not_found"} 1',
    'academy_mcp_tool_calls_total{tool="get_course",code="invalid_input"} 1',
    'academy_mcp_api_requests_total{operation="students.getStudentDetails",status="200"} 1',
    'academy_mcp_api_requests_total{operation="courses.getCourse",status="404"} 1',
    'academy_mcp_api_wait_seconds_count 2',
    'academy_mcp_api_budget_limit 270',
    'academy_mcp_api_queue 0',
    'academy_mcp_sessions 1',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  expect(text).not.toContain(email);
  for (const name of new Set(
    [...text.matchAll(/^(academy_mcp_\w+?)(?:_bucket|_sum|_count)?[{ ]/gm)].map(([, metric]) => metric),
  )) {
    expect(text, name).toContain(`# HELP ${name} `);
  }
});

test('metrics count a call that ends with a question', async () => {
  const { url, origin, sandbox } = await startHttp();
  const { email, name } = at(sandbox.academy.students.all(), 0);
  const { message, headers } = modernCall('unenroll_student', { email, name, confirm: true }, { elicitation: {} });
  expect((await post(url, message, headers)).json).toMatchObject({ result: { resultType: 'input_required' } });
  expect((await get(`${origin}/metrics`)).text.split('\n')).toContain(
    'academy_mcp_tool_calls_total{tool="unenroll_student",code="input_required"} 1',
  );
});

test('metrics have no limit if the limit is off', async () => {
  const { origin } = await startHttp({ ACADEMY_RATE_LIMIT: 'off' });
  expect((await get(`${origin}/metrics`)).text).not.toMatch(/^academy_mcp_api_budget_limit/m);
});

test('metrics answer only this machine unless a metrics token is set', async () => {
  const { origin, url } = await startHttp();
  const host = ['host', new URL(url).host] as const;
  const proxied = ['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Real-IP', 'Via', 'Forwarded'];
  for (const name of proxied) {
    expect((await rawRequest(`${origin}/metrics`, 'GET', [host, [name, '192.0.2.7']])).status, name).toBe(403);
  }
  const named = await startHttp({ ACADEMY_HTTP_ALLOWED_HOSTS: 'mcp.example.com,localhost,127.0.0.1' });
  for (const name of ['mcp.example.com', 'localhost', '127.0.0.1']) {
    expect((await rawRequest(`${named.origin}/metrics`, 'GET', [['host', name]])).status, name).toBe(403);
  }
  const port = await freePort();
  const hosts = `mcp.example.com:${port},127.0.0.1:${port}`;
  const withPort = await startHttp({ ACADEMY_HTTP_ALLOWED_HOSTS: hosts }, { port });
  const metricsAt = (host: string) => rawRequest(`${withPort.origin}/metrics`, 'GET', [['host', `${host}:${port}`]]);
  expect((await metricsAt('127.0.0.1')).status).toBe(200);
  expect((await metricsAt('mcp.example.com')).status).toBe(403);
  const token = 'metrics-token-0123456789abcdef';
  const guarded = await startHttp({
    ACADEMY_METRICS_TOKEN: token,
    ACADEMY_HTTP_TOKENS: 'client-token-0123456789abcdef',
  });
  expect((await get(`${guarded.origin}/metrics`)).status).toBe(401);
  expect(
    (await get(`${guarded.origin}/metrics`, { authorization: 'Bearer client-token-0123456789abcdef' })).status,
  ).toBe(401);
  expect((await get(`${guarded.origin}/metrics`, { authorization: `Bearer ${token}` })).status).toBe(200);
});

const outer = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

test.skipIf(outer === undefined)(
  'metrics without a token never answer another machine, whatever its Host',
  async () => {
    const port = await freePort();
    const host = `127.0.0.1:${port}`;
    const settings = { ACADEMY_HTTP_TOKENS: 'client-token-0123456789abcdef', ACADEMY_HTTP_ALLOWED_HOSTS: host };
    await startHttp(settings, { host: '0.0.0.0', port });
    const statusBy = async (address: string) =>
      (await rawRequest(`http://${address}:${port}/metrics`, 'GET', [['host', host]])).status;
    expect(await statusBy('127.0.0.1')).toBe(200);
    expect(await statusBy(outer ?? '')).toBe(403);
  },
);
