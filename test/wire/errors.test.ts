import { expect, test } from 'vitest';
import { startRecorder } from '../support/recorder.ts';
import { courseBody } from './account-and-courses.ts';
import { expectError, problem } from './failure.ts';
import { expectFacts, perform } from './perform.ts';

const refusals = [
  { status: 401, code: 'unauthorized', apiCode: 'unauthorized', message: 'API token is missing or invalid' },
  { status: 403, code: 'forbidden', apiCode: 'forbidden', message: 'Admins only, please' },
  { status: 404, code: 'not_found', apiCode: 'not_found', message: 'No such record here' },
  { status: 422, code: 'unprocessable', apiCode: 'invalid_parameter', message: 'That value is out of bounds' },
];

test.each(refusals)('a $status on a read becomes $code, with the message of the API', async (refusal) => {
  const reply = { status: refusal.status, body: problem(refusal.apiCode, refusal.message) };
  const performed = await perform('get_course', { course_id: 4711 }, reply);
  expectError(performed, refusal.code, [refusal.message, refusal.apiCode, `${refusal.status}`, 'req-7f3c1a']);
  expect(performed.recorder.requests).toHaveLength(1);
});

test.each(refusals)('a $status on a write becomes $code, and says that nothing was applied', async (refusal) => {
  const reply = { status: refusal.status, body: problem(refusal.apiCode, refusal.message) };
  const performed = await perform('grant_role', { email: 'ann@example.com', role_id: 31 }, reply);
  expectError(performed, refusal.code, [refusal.message, 'req-7f3c1a', 'not_applied']);
  expect(performed.recorder.requests).toHaveLength(1);
});

const supported = ['title', 'description', 'course_id'];

test.each([
  { where: 'in a list of its own', extra: { supported_fields: supported } },
  { where: 'under another name', extra: { allowed: supported } },
  { where: 'within the error', extra: { errors: [{ code: 'invalid_fields', message: 'Not here', supported }] } },
])('a 422 for unsupported fields names the supported ones $where', async ({ extra }) => {
  const body = { ...problem('invalid_fields', 'Some fields are unsupported'), ...extra };
  const update = { product_type: 'project', id_or_slug: 'recital', price: '5.00' };
  const performed = await perform('update_product', update, { status: 422, body });
  expectError(performed, 'invalid_fields', [...supported, 'req-7f3c1a', 'not_applied']);
  expect(performed.recorder.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
});

test('a 500 on a read is retried and becomes api_unavailable', async () => {
  const reply = { status: 500, body: problem('internal', 'Something broke') };
  const performed = await perform('get_course', { course_id: 4711 }, reply, { ACADEMY_MAX_WAIT_MS: '3000' });
  expectError(performed, 'api_unavailable', ['500', 'req-7f3c1a']);
  const sent = performed.recorder.requests.map(({ method, path }) => `${method} ${path}`);
  expect(sent.length).toBeGreaterThan(1);
  expect(new Set(sent)).toEqual(new Set(['GET /api/v1/courses/4711']));
});

test('a temporary 503 on a read is not visible in the answer', async () => {
  const { answer } = await perform('get_course', { course_id: 4711 }, (_request, index) =>
    index === 0 ? { status: 503, body: 'down for a moment' } : { body: courseBody },
  );
  expect(answer.isError, answer.text).toBe(false);
  expectFacts(answer, [4711, 'Piano for beginners']);
});

test.each([
  { tool: 'create_lesson', toolArguments: { course_id: 4711, title: 'Scales' } },
  { tool: 'create_channel', toolArguments: { name: 'Practice room' } },
  { tool: 'enroll_student', toolArguments: { email: 'ann@example.com', course_id: 4711 } },
  { tool: 'reset_course_progress', toolArguments: { email: 'ann@example.com', course_id: 4711, confirm: true } },
])('$tool is not sent twice after a 500, and its outcome is unknown', async ({ tool, toolArguments }) => {
  const reply = { status: 500, body: problem('internal', 'Something broke') };
  const settings = { ACADEMY_MAX_WAIT_MS: '1500', ACADEMY_TIMEOUT_MS: '2000' };
  const performed = await perform(tool, toolArguments, reply, settings);
  expectError(performed, 'outcome_unknown', []);
  const writes = performed.recorder.requests.filter(
    ({ method, path }) => method !== 'GET' && !path.includes('percent'),
  );
  expect(writes).toHaveLength(1);
});

test.each([
  { tool: 'get_course', toolArguments: { course_id: 4711 } },
  { tool: 'grant_role', toolArguments: { email: 'ann@example.com', role_id: 31 } },
])('a redirect is not followed, and the key goes nowhere else: $tool', async ({ tool, toolArguments }) => {
  const elsewhere = await startRecorder({ body: courseBody });
  const reply = { status: 302, headers: { location: `${elsewhere.url}/api/v1/courses/4711` } };
  const { answer, recorder } = await perform(tool, toolArguments, reply, { ACADEMY_MAX_WAIT_MS: '1500' });
  expect(answer.isError).toBe(true);
  expect(elsewhere.requests).toEqual([]);
  const targets = recorder.requests.map(({ path }) => path);
  expect(targets[0]).toMatch(tool === 'get_course' ? /courses\/4711$/ : /grant-role$/);
});

test('an answer that is not JSON becomes unexpected_response', async () => {
  const reply = { headers: { 'content-type': 'text/html' }, body: '<html><body>Sign in</body></html>' };
  expectError(await perform('get_course', { course_id: 4711 }, reply), 'unexpected_response', []);
});

test.each([
  { when: 'in another form', body: { message: 'gone', code: 7, errors: ['gone'] } },
  { when: 'as a list', body: [] },
])('an error $when still becomes its code', async ({ body }) => {
  expectError(await perform('get_course', { course_id: 4711 }, { status: 404, body }), 'not_found', ['404']);
});

test.each([
  { when: 'as plain text', body: 'Nope' },
  { when: 'as nothing', body: undefined },
])('a 404 $when does not say that there is no such record', async ({ body }) => {
  expectError(await perform('get_course', { course_id: 4711 }, { status: 404, body }), 'unexpected_response', ['404']);
});

test('the message of the API is cut at 500 characters and loses its control characters', async () => {
  const reply = { status: 404, body: problem('not_found', `\u0007\u001b[31m${'long '.repeat(400)}`) };
  const { answer } = await perform('get_course', { course_id: 4711 }, reply);
  expect(answer.text).not.toMatch(/[^\P{Cc}\n]/u);
  expect(answer.text.split('long').length - 1).toBeLessThanOrEqual(100);
});
