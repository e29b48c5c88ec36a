import { expect, test } from 'vitest';
import { at, expectError, request, row, rows, startAcademy } from '../support/academy.ts';
import { capabilityNames, endpoints, eventNames } from '../support/document.ts';
import { accountShape, differences } from '../support/shapes.ts';

test('get account returns the account, its capabilities and the event names', async () => {
  const academy = await startAcademy();
  const body = await academy.read('/api/v1/account');
  expect(Object.keys(body).sort()).toEqual(['account', 'capabilities', 'webhook_events']);
  expect(differences(row(body.account), accountShape)).toEqual([]);
  expect(Object.keys(row(body.capabilities)).sort()).toEqual([...capabilityNames].sort());
  for (const value of Object.values(row(body.capabilities))) expect(value).toBeTypeOf('boolean');
  expect(body.webhook_events).toEqual(expect.arrayContaining([...eventNames]));
  expect(body.webhook_events).toHaveLength(eventNames.length);
});

test('both forms of the Authorization header are accepted', async () => {
  const { url, apiKey } = await startAcademy();
  const forms = [
    `Bearer ${apiKey}`,
    `bearer ${apiKey}`,
    `Token token=${apiKey}`,
    `Token token="${apiKey}", nonce="abc"`,
  ];
  for (const authorization of forms) {
    const answer = await request(`${url}/api/v1/account`, 'GET', undefined, { authorization });
    expect(answer.status, authorization).toBe(200);
  }
});

test('a missing or invalid key is 401 with the error body', async () => {
  const { url, apiKey } = await startAcademy();
  const headers = [
    {},
    { authorization: 'Bearer wrong-key' },
    { authorization: 'Token token=wrong-key' },
    { authorization: `Bearer ${apiKey}x` },
    { authorization: apiKey },
    { authorization: `Basic ${apiKey}` },
    { authorization: 'Bearer ' },
    { authorization: '' },
    { authorization: `Token ${apiKey}` },
  ];
  for (const header of headers) {
    const answer = await request(`${url}/api/v1/courses`, 'GET', undefined, header);
    const body = expectError(answer, 401, 'unauthorized');
    expect(answer.headers.get('x-api-version')).toBeNull();
    expect(answer.headers.get('x-request-id')).toBe(body.request_id);
  }
  const student = { email: 'ana@example.com', name: 'Ana' };
  expectError(await request(`${url}/api/v1/student/enroll`, 'POST', student), 401);
  expectError(await request(`${url}/api/v1/nothing`, 'GET'), 401);
});

test('a key in the query string is ignored', async () => {
  const { url, apiKey } = await startAcademy();
  expectError(await request(`${url}/api/v1/courses?api_key=${apiKey}&token=${apiKey}`, 'GET'), 401);
});

test('the key of a user who is not an admin is 403 at every endpoint', async () => {
  const { url, studentKey } = await startAcademy();
  for (const endpoint of endpoints) {
    const [method = '', path = ''] = endpoint.replaceAll(/:\w+/g, '1').split(' ');
    const body = method === 'GET' ? undefined : {};
    const answer = await request(`${url}${path}`, method, body, { authorization: `Bearer ${studentKey}` });
    expectError(answer, 403);
  }
});

test('responses to a valid key have a unique request id, as in the error body, and the API version', async () => {
  const academy = await startAcademy();
  const first = await academy.send('GET', '/api/v1/courses');
  const second = await academy.send('GET', '/api/v1/orders/no-such-order');
  expect(first.headers.get('x-request-id')).toMatch(/\S/);
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect([first, second].map(({ headers }) => headers.get('x-api-version'))).toEqual(['v1', 'v1']);
  for (const { headers } of [first, second]) expect(headers.get('content-type')).toContain('application/json');
  const body = expectError(second, 404, 'not_found');
  expect(body.request_id).toBe(second.headers.get('x-request-id'));
  expect(at(rows(body.errors), 0).message).toMatch(/\S/);
});

test('an unknown record in a path or query is 404 not_found', async () => {
  const academy = await startAcademy();
  const paths = [
    '/api/v1/courses/99999999',
    '/api/v1/courses/99999999/lessons',
    '/api/v1/bundles/99999999',
    '/api/v1/digital_products/99999999',
    '/api/v1/products/course/99999999',
    '/api/v1/products/course/no-such-slug',
    '/api/v1/community/channels/99999999',
    '/api/v1/community/channels/no-such-slug',
    '/api/v1/community/channels/no-such-slug/posts',
    '/api/v1/orders/99999999',
    '/api/v1/students/details?email=nobody%40example.invalid',
  ];
  for (const path of paths) expectError(await academy.send('GET', path), 404, 'not_found');
});
