import { expect, test } from 'vitest';
import { expectError, row, rows } from '../support/academy.ts';
import { call, start } from '../support/sandbox.ts';

const enroll = '/api/v1/student/enroll';
const channels = '/api/v1/community/channels';

test.each([
  ['email is missing', { name: 'Ana' }, 'email'],
  ['email is malformed', { email: 'ana', name: 'Ana' }, 'email'],
  ['email is a number', { email: 7, name: 'Ana' }, 'email'],
  ['course_id is a word', { email: 'ana@example.com', name: 'Ana', course_id: 'basics' }, 'course_id'],
  ['bundle_id is a fraction', { email: 'ana@example.com', name: 'Ana', bundle_id: 1.5 }, 'bundle_id'],
])('an error names the parameter: %s', async (_what, body, name) => {
  const sandbox = await start();
  const refusal = expectError(await call(sandbox, 'POST', enroll, body), 422, 'invalid_parameter');
  expect(refusal.error).toContain(name);
});

const posts = '/api/v1/community/channels/1/posts';

/** The last parameter of each query is wrong. */
const wrong: Record<string, string[]> = {
  '/api/v1/products': ['limit=0', 'limit=26', 'limit=-1', 'limit=ten', 'limit=1.5', 'limit=', 'product_type=podcast'],
  [channels]: ['limit=0', 'limit=51', 'limit=-1', 'limit=many', 'limit=2.5'],
  '/api/v1/orders': [
    ...['status=open', 'status=', 'page=0', 'page=-1', 'page=x', 'page=1.5', 'per_page=101', 'page=1&per_page=0'],
    ...['page=1&per_page=101', 'page=1&per_page=x', 'created_after=yesterday', 'created_before=2024-13-45'],
  ],
  '/api/v1/students': ['page=0', 'page=-1', 'page=x', 'page=1.5'],
  '/api/v1/students/details': ['email'],
  [posts]: [
    ...['per_page=0', 'per_page=101', 'per_page=x', 'page=0', 'page=-1', 'page=x', 'topic_id=x'],
    ...['created_after=yesterday', 'created_before=32', `query=${'a'.repeat(201)}`],
  ],
};

test.each(Object.entries(wrong))('%s with a wrong parameter is 422 and names it', async (path, queries) => {
  const sandbox = await start();
  for (const query of queries) {
    const refusal = expectError(await call(sandbox, 'GET', `${path}?${query}`), 422, 'invalid_parameter');
    expect(refusal.error, query).toContain(/(\w+)(=[^&]*)?$/.exec(query)?.[1]);
    expect(refusal.error).not.toMatch(/Too (big|small)|Invalid (input|option|string)/);
  }
});

test.each([
  ['/api/v1/products/podcast/1', 'product_type'],
  ['/api/v1/courses/basics', 'course_id'],
])('%s is 422 and names %s', async (path, name) => {
  const refusal = expectError(await call(await start(), 'GET', path), 422, 'invalid_parameter');
  expect(refusal.error).toContain(name);
});

test.each([
  '/api/v1/courses/0',
  '/api/v1/courses/-1',
  '/api/v1/courses/99999999999999999999',
  '/api/v1/products/course/no%20such%20slug',
  '/api/v1/products/course/%00',
  '/api/v1/products/course/..%2e',
  '/api/v1/orders/no%20such%20order',
  '/api/v1/community/channels/%F0%9F%98%80',
])('a path that cannot name a record is 404: %s', async (path) => {
  const sandbox = await start();
  const refusal = expectError(await call(sandbox, 'GET', path), 404, 'not_found');
  expect(refusal.error).not.toBe('endpoint not available');
});

test('unknown query parameters and unknown student parameters are ignored', async () => {
  const sandbox = await start();
  expect((await call(sandbox, 'GET', '/api/v1/products?limit=1&colour=red&limit[]=99')).status).toBe(200);
  const body = { email: 'ana@example.com', name: 'Ana', colour: 'red', course_id: null };
  expect((await call(sandbox, 'POST', enroll, body)).status).toBe(200);
});

test('the last of a repeated query parameter counts', async () => {
  const sandbox = await start();
  const { body } = await call(sandbox, 'GET', '/api/v1/products?limit=99&limit=1');
  expect(rows(row(body).products)).toHaveLength(1);
});

test('the email filter of orders accepts any text, since it is only compared', async () => {
  const sandbox = await start();
  expect(row((await call(sandbox, 'GET', '/api/v1/orders?user_email=ana')).body).orders).toEqual([]);
});

test('a page far after the last is empty, and a long search finds nothing', async () => {
  const sandbox = await start();
  expect(row((await call(sandbox, 'GET', '/api/v1/students?page=5000000')).body).students).toEqual([]);
  expect(row((await call(sandbox, 'GET', '/api/v1/orders?page=5000000&per_page=5')).body).orders).toEqual([]);
  expect(row((await call(sandbox, 'GET', `/api/v1/products?query=${'x'.repeat(300)}`)).body).products).toEqual([]);
});

test.each([
  ['PATCH', '/api/v1/lessons/1', {}],
  ['PUT', '/api/v1/products/course/1', { product: {} }],
  ['PUT', '/api/v1/products/course/1', { title: 'Without its key' }],
  ['PUT', '/api/v1/products/course/1', { product: 'T' }],
  ['PATCH', `${channels}/1`, { channel: {} }],
  ['POST', channels, { channel: {} }],
  ['PATCH', '/api/v1/lessons/1', undefined],
])('%s %s without a field to change is 422', async (method, path, body) => {
  const sandbox = await start();
  expectError(await call(sandbox, method, path, body), 422, 'invalid_parameter');
});
