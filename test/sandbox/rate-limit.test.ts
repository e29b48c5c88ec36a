import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimit } from '../../src/sandbox/accounts.ts';
import { expectError, request } from '../support/academy.ts';
import { bearer, call, start } from '../support/sandbox.ts';

test('both keys of an account share one limit, whatever the responses', async () => {
  const sandbox = await start({ rateLimit: 5 });
  const { url, studentKey } = sandbox;
  expect((await call(sandbox, 'GET', '/api/v1/account')).status).toBe(200);
  expect((await request(`${url}/api/v1/account`, 'GET', undefined, bearer(studentKey))).status).toBe(403);
  expect((await call(sandbox, 'GET', '/api/v1/nothing')).status).toBe(404);
  expect((await call(sandbox, 'GET', '/api/v1/products?limit=0')).status).toBe(422);
  expect((await request(`${url}/demo/api/v1/account`, 'GET', undefined, bearer(sandbox.apiKey))).status).toBe(200);
  expectError(await call(sandbox, 'GET', '/api/v1/account'), 429, 'rate_limited');
  expectError(await request(`${url}/api/v1/account`, 'GET', undefined, bearer(studentKey)), 429, 'rate_limited');
});

test('a request without a valid key does not count', async () => {
  const sandbox = await start({ rateLimit: 1 });
  for (let index = 0; index < 3; index += 1) expectError(await request(`${sandbox.url}/api/v1/account`, 'GET'), 401);
  expect((await call(sandbox, 'GET', '/api/v1/account')).status).toBe(200);
});

test('a write over the limit is not performed', async () => {
  const sandbox = await start({ rateLimit: 1 });
  await call(sandbox, 'GET', '/api/v1/account');
  const students = sandbox.academy.students.all().length;
  expectError(await call(sandbox, 'POST', '/api/v1/student/enroll', { email: 'a@example.com', name: 'A' }), 429);
  expect(sandbox.academy.students.all()).toHaveLength(students);
});

test('a client that waits for Retry-After is accepted, even after many 429s', async () => {
  const sandbox = await start({ rateLimit: 2, windowMs: 900 });
  await call(sandbox, 'GET', '/api/v1/account');
  await call(sandbox, 'GET', '/api/v1/account');
  const refusals = await Promise.all([1, 2, 3, 4].map(() => call(sandbox, 'GET', '/api/v1/account')));
  for (const refusal of refusals) {
    expectError(refusal, 429);
    expect(refusal.headers.get('retry-after')).toBe('1');
    expect(refusal.headers.get('x-api-version')).toBe('v1');
  }
  await delay(1000);
  expect((await call(sandbox, 'GET', '/api/v1/account')).status).toBe(200);
});

test('Retry-After is the whole seconds until the oldest request leaves the window', () => {
  const limit = new RateLimit(2, 60_000);
  expect(limit.take(0)).toBe(0);
  expect(limit.take(30_000)).toBe(0);
  expect(limit.take(30_001)).toBe(30);
  expect(limit.take(59_999)).toBe(1);
  expect(limit.take(60_000)).toBe(0);
  expect(limit.take(60_001)).toBe(30);
  expect(limit.take(90_000)).toBe(0);
});

test('under any load, no window exceeds the limit and no window with room rejects', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), gaps, (most, pauses) => {
      const limit = new RateLimit(most, 1000);
      const accepted: number[] = [];
      let now = 0;
      for (const pause of pauses) {
        now += pause;
        const inWindow = accepted.filter((time) => time > now - 1000).length;
        const passed = limit.take(now) === 0;
        expect(passed).toBe(inWindow < most);
        if (passed) accepted.push(now);
      }
    }),
    { seed: 7 },
  );
});
