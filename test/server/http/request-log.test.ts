import { expect, test } from 'vitest';
import { at } from '../../support/academy.ts';
import { callMessage, modernCall, openSession, post, startHttp, withBatches } from '../../support/http-server.ts';
import { collectWarnings } from '../../support/warnings.ts';

const token = 'first-token-0123456789abcdef';
const authorization = `Bearer ${token}`;

type Line = Record<string, unknown>;

/** The lines about requests, each as fields. */
function requestLines(log: readonly string[]): Line[] {
  return log.map((line) => JSON.parse(line) as Line).filter(({ request }) => request !== undefined);
}

test('the log has one line for each request, with method, tool, caller, duration and status', async () => {
  const warnings = collectWarnings();
  const { url, log } = await startHttp({ ACADEMY_HTTP_TOKENS: token });
  const session = await openSession(url, { authorization });
  await post(url, callMessage(2, 'get_account'), session);
  const { message, headers } = modernCall('list_courses', {});
  await post(url, message, { authorization, ...headers });
  await post(url, callMessage(3, 'get_account'));
  await expect.poll(() => requestLines(log).length).toBe(4);
  const common = { method: 'POST', path: '/mcp', milliseconds: expect.any(Number), msg: 'request answered' };
  const caller = expect.stringMatching(/^token:[0-9a-f]{32}$/);
  expect(requestLines(log)).toEqual(
    [
      { caller, message: 'initialize', status: 200 },
      { caller, message: 'tools/call', tool: 'get_account', status: 200 },
      { caller, message: 'tools/call', tool: 'list_courses', status: 200 },
      { status: 401 },
    ].map((line) => ({ level: 30, time: expect.any(String), request: expect.any(String), ...common, ...line })),
  );
  expect(log.join('')).not.toContain(token);
  expect(warnings).toEqual([]);
});

test('the log names the calls of a batch, and requests besides /mcp', async () => {
  const { url, origin, log } = await startHttp();
  const session = await openSession(url, {}, withBatches);
  const others = ['ping', 'skills/list'].map((method, index) => ({ jsonrpc: '2.0', id: 3 + index, method }));
  await post(url, [callMessage(2, 'get_account'), ...others], session);
  await fetch(`${origin}/healthz?secret`);
  await fetch(`${origin}/private-path`);
  await expect.poll(() => requestLines(log).length).toBe(4);
  const lines = requestLines(log).slice(1);
  expect(lines[0]).toMatchObject({ caller: 'local', message: 'tools/call, ping, skills/list', tool: 'get_account' });
  expect(lines[1]).toMatchObject({ method: 'GET', path: '/healthz', status: 200 });
  expect(lines[2]).toMatchObject({ method: 'GET', status: 404 });
  expect(log.join('')).not.toMatch(/secret|private-path/);
});

test('the log repeats no name that a client made up, and no argument', async () => {
  const { url, log, sandbox } = await startHttp();
  const { name, email } = at(sandbox.academy.students.all(), 0);
  const session = await openSession(url);
  await post(url, callMessage(2, name, { name }), session);
  await post(url, callMessage(3, 'get_student_details', { email }), session);
  await post(url, { jsonrpc: '2.0', id: 4, method: name, params: { name } }, session);
  await post(url, { jsonrpc: '2.0', id: 5, result: { name } }, session);
  await expect.poll(() => requestLines(log).length).toBe(5);
  expect(requestLines(log).map(({ message, tool }) => [message, tool])).toEqual([
    ['initialize', undefined],
    ['tools/call', 'unknown'],
    ['tools/call', 'get_student_details'],
    ['unknown', undefined],
    ['response', undefined],
  ]);
  expect(log.join('')).not.toContain(name);
  expect(log.join('')).not.toContain(email);
});
