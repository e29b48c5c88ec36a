import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRateLimit } from '../../src/sandbox/accounts.ts';
import { expectError, openAcademy, request, startAcademy } from '../support/academy.ts';
import { call, start } from '../support/sandbox.ts';

test.each([
  { plan: 'standard', allowed: 60 },
  { plan: 'academy', allowed: 300 },
] as const)('an account of the $plan plan may send $allowed requests a minute', async ({ plan, allowed }) => {
  const academy = await openAcademy({ plan });
  const statuses = await Promise.all(
    Array.from({ length: allowed }, async () => (await academy.send('GET', '/api/v1/courses/roles')).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  expectError(await academy.send('GET', '/api/v1/courses/roles'), 429);
});

test('all keys and endpoints of an account share one limit, and rejected requests count', async () => {
  const { url, apiKey, studentKey, send } = await openAcademy({ rateLimit: 6 });
  const student = { authorization: `Bearer ${studentKey}` };
  const token = { authorization: `Token token=${apiKey}` };
  expect((await send('GET', '/api/v1/account')).status).toBe(200);
  expect((await send('GET', '/api/v1/courses/99999999')).status).toBe(404);
  expect((await send('GET', '/api/v1/products?limit=99')).status).toBe(422);
  expect((await request(`${url}/api/v1/bundles`, 'GET', undefined, student)).status).toBe(403);
  expect((await request(`${url}/api/v1/students`, 'GET', undefined, token)).status).toBe(200);
  expect((await send('POST', '/api/v1/student/enroll', {})).status).toBe(422);
  expectError(await send('GET', '/api/v1/account'), 429);
  expectError(await request(`${url}/api/v1/account`, 'GET', undefined, token), 429);
});

test('a write over the limit is not performed', async () => {
  const academy = await openAcademy({ rateLimit: 1 });
  await academy.read('/api/v1/account');
  const channel = { name: 'Too late' };
  const refusal = await academy.send('POST', '/api/v1/community/channels', { channel });
  expectError(refusal, 429);
  expect(refusal.headers.get('x-request-id')).toMatch(/\S/);
});

test('the account shows the plan', async () => {
  const standard = await (await startAcademy({ plan: 'standard' })).read('/api/v1/account');
  const academy = await (await startAcademy({ plan: 'academy' })).read('/api/v1/account');
  expect(standard.account).toMatchObject({ subscription_plan: expect.not.stringContaining('academy') });
  expect(academy.account).toMatchObject({ subscription_plan: expect.stringContaining('academy') });
});

test('a request without a valid key does not count', async () => {
  const sandbox = await start({ rateLimit: 1 });
  for (let index = 0; index < 3; index += 1) expectError(await request(`${sandbox.url}/api/v1/account`, 'GET'), 401);
  expect((await call(sandbox, 'GET', '/api/v1/account')).status).toBe(200);
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
  const limit = createRateLimit(2, 60_000);
  expect(limit(0)).toBe(0);
  expect(limit(30_000)).toBe(0);
  expect(limit(30_001)).toBe(30);
  expect(limit(59_999)).toBe(1);
  expect(limit(60_000)).toBe(0);
  expect(limit(60_001)).toBe(30);
  expect(limit(90_000)).toBe(0);
});

test('under any load, no window exceeds the limit and no window with room rejects', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), gaps, (most, pauses) => {
      const limit = createRateLimit(most, 1000);
      const accepted: number[] = [];
      let now = 0;
      for (const pause of pauses) {
        now += pause;
        const inWindow = accepted.filter((time) => time > now - 1000).length;
        const passed = limit(now) === 0;
        expect(passed).toBe(inWindow < most);
        if (passed) accepted.push(now);
      }
    }),
    { seed: 7 },
  );
});
