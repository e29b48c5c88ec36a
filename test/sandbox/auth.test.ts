import { expect, test } from 'vitest';
import { expectError, request } from '../support/academy.ts';
import { bearer, start } from '../support/sandbox.ts';

const account = '/api/v1/account';

test.each([
  ['Bearer KEY'],
  ['bearer KEY'],
  ['Token token=KEY'],
  ['Token token="KEY"'],
  ['Token token="KEY", nonce="abc"'],
])('an admin key is accepted as: %s', async (form) => {
  const { url, apiKey } = await start();
  const answer = await request(url + account, 'GET', undefined, { authorization: form.replace('KEY', apiKey) });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-api-version')).toBe('v1');
});

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['an unknown key', 'Bearer nobody'],
  ['a key with something after it', 'Bearer sandbox-admin-keyx'],
  ['no key', 'Bearer'],
  ['another scheme', 'Basic sandbox-admin-key'],
  ['a bare key', 'sandbox-admin-key'],
  ['a token without its name', 'Token sandbox-admin-key'],
])('%s is 401, with a request id and without an API version', async (_what, authorization) => {
  const { url } = await start();
  const answer = await request(url + account, 'GET', undefined, authorization === undefined ? {} : { authorization });
  const body = expectError(answer, 401, 'unauthorized');
  expect(answer.headers.get('x-api-version')).toBeNull();
  expect(answer.headers.get('x-request-id')).toBe(body.request_id);
});

test('the key of a student is 403 on reads, on writes and on unknown paths', async () => {
  const { url, studentKey, academy } = await start();
  const before = academy.students.all().length;
  for (const [method, path] of [
    ['GET', account],
    ['POST', '/api/v1/student/enroll'],
    ['GET', '/api/v1/nothing'],
  ] as const) {
    const body = method === 'POST' ? { email: 'ana@example.com', name: 'Ana' } : undefined;
    const answer = await request(url + path, method, body, bearer(studentKey));
    expectError(answer, 403, 'forbidden');
    expect(answer.headers.get('x-api-version')).toBe('v1');
  }
  expect(academy.students.all()).toHaveLength(before);
});

test('a request without a key changes nothing and reveals no paths', async () => {
  const { url, academy } = await start();
  const before = academy.students.all().length;
  const body = { email: 'ana@example.com', name: 'Ana' };
  expectError(await request(`${url}/api/v1/student/enroll`, 'POST', body), 401);
  expectError(await request(`${url}/api/v1/nothing`, 'GET'), 401);
  expect(academy.students.all()).toHaveLength(before);
});
