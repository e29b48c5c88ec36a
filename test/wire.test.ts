import { expect, test } from 'vitest';
import { operations } from '../src/contract/index.ts';
import { connect } from './support/connect.ts';
import { endpoints } from './support/document.ts';
import { toolOf } from './support/every-call.ts';
import { type Recorded, startRecorder } from './support/recorder.ts';
import { courseBody, courseCases } from './wire/account-and-courses.ts';
import { wireCases } from './wire/cases.ts';
import { apiKey, expectFacts, perform } from './wire/perform.ts';

const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort();

test('the cases cover the operations of the document, each with its own tool', () => {
  const covered = distinct(wireCases.map(({ endpoint }) => endpoint));
  expect(covered).toEqual([...endpoints].sort());
  expect(distinct(wireCases.map(({ tool }) => tool))).toHaveLength(endpoints.length);
  expect(distinct(wireCases.map(({ tool, endpoint }) => `${tool} ${endpoint}`))).toHaveLength(endpoints.length);
});

/** The document and the contract may name a path's parameters differently. */
const nameless = (path: string) => path.replaceAll(/:\w+/g, ':');

// The one thing that this file takes from the contract: which operations it has.
test('each operation of the contract has a hand-written case, and each case has an operation', () => {
  const [byTool, byPath] = [
    distinct(operations.map(toolOf)),
    operations.map(({ method, path }) => `${method} ${path}`),
  ];
  expect(distinct(wireCases.map(({ tool }) => tool))).toEqual(byTool);
  expect(distinct(wireCases.map(({ endpoint }) => nameless(endpoint)))).toEqual(distinct(byPath.map(nameless)));
  expect(byTool).toHaveLength(operations.length);
});

test.each(wireCases)('$tool sends $sends.method $sends.path and nothing else, $when', async (wireCase) => {
  const { answer, recorder } = await perform(wireCase.tool, wireCase.arguments, wireCase.answers);
  expect(answer.isError, answer.text).toBe(false);
  const sent = `${wireCase.sends.method} ${wireCase.sends.path}`;
  const lines = recorder.requests.map(({ method, path }) => `${method} ${path}`);
  expect([...lines].sort()).toEqual([sent, ...(wireCase.looksUp ?? [])].sort());
  for (const request of recorder.requests) {
    if (`${request.method} ${request.path}` === sent) {
      expect(sorted(request.query)).toEqual(sorted([...new URLSearchParams(wireCase.sends.query)]));
      expectBody(request, wireCase.sends.body);
    }
    expect(request.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(request.headers.accept).toContain('application/json');
  }
});

test.each(wireCases)('$tool returns the answer of the API in both forms, $when', async (wireCase) => {
  const { answer } = await perform(wireCase.tool, wireCase.arguments, wireCase.answers);
  expect(answer.isError, answer.text).toBe(false);
  expectFacts(answer, wireCase.tells);
});

test.each(courseCases)('with the token scheme $tool authorises itself by Token token=, $when', async (wireCase) => {
  const scheme = { ACADEMY_AUTH_SCHEME: 'token' };
  const { recorder } = await perform(wireCase.tool, wireCase.arguments, wireCase.answers, scheme);
  expect(recorder.requests.map(({ headers }) => headers.authorization)).toEqual([`Token token=${apiKey}`]);
});

test.each([
  { tool: 'list_students', arguments: {}, answers: { students: [], meta: { total_pages: 1, total_students: 0 } } },
  {
    tool: 'search_posts',
    arguments: { id_or_slug: 'hall' },
    answers: { posts: [], meta: { current_page: 1, per_page: 25, total_pages: 1, total_posts: 0 } },
  },
])('without arguments $tool sends no parameter other than the documented defaults', async (wireCase) => {
  const { answer, recorder } = await perform(wireCase.tool, wireCase.arguments, { body: wireCase.answers });
  expect(answer.isError, answer.text).toBe(false);
  expect(recorder.requests).toHaveLength(1);
  const defaults = ['page=1', 'per_page=25'];
  for (const [name, value] of recorder.requests[0]?.query ?? []) expect(defaults).toContain(`${name}=${value}`);
});

test.each(['/', '/academies/north', '/academies/north/'])('a base URL that ends in %s keeps its path', async (path) => {
  const recorder = await startRecorder({ body: courseBody });
  const settings = {
    ACADEMY_BASE_URL: `${recorder.url}${path}`,
    ACADEMY_API_KEY: apiKey,
    ACADEMY_RATE_LIMIT: 'off',
    ACADEMY_PREFLIGHT: 'false',
  };
  const { call } = await connect(settings);
  await call('get_course', { course_id: 4711 });
  const base = path === '/' ? '' : '/academies/north';
  expect(recorder.requests.map((request) => request.path)).toEqual([`${base}/api/v1/courses/4711`]);
});

test.each(['.', '..', '', '%2e%2e'])('the slug "%s" never leaves its segment of the path', async (slug) => {
  const { recorder } = await perform('get_channel', { id_or_slug: slug }, { body: { id: 1, name: 'A', slug: 'a' } });
  const paths = recorder.requests.map(({ path }) => path);
  const encoded = `/api/v1/community/channels/${encodeURIComponent(slug)}`;
  for (const path of paths) expect(path).toBe(encoded);
  if (slug !== '%2e%2e') expect(paths).toEqual([]);
});

const sorted = (pairs: [string, string][]): string[] => pairs.map(([name, value]) => `${name}=${value}`).sort();

/** A body is the expected JSON under its content type; no body is no bytes and no content type. */
function expectBody(request: Recorded, body: unknown): void {
  if (body === undefined) {
    expect(request.raw).toBe('');
    expect(request.headers['content-type']).toBeUndefined();
    return;
  }
  expect(request.body).toEqual(body);
  expect(request.headers['content-type']).toMatch(/^application\/json(;|$)/);
}
