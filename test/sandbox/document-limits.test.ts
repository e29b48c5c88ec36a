import { expect, test } from 'vitest';
import { expectError, openAcademy, request, startAcademy } from '../support/academy.ts';

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

test('a key works only for its own account, and each account has its own limit', async () => {
  const { url } = await openAcademy({
    accounts: [
      { subdomain: 'north', apiKeys: ['north-key-one', 'north-key-two'], studentKeys: [], plan: 'standard' },
      { subdomain: 'south', apiKeys: ['south-key'], studentKeys: [], plan: 'standard' },
    ],
  });
  const ask = (base: string, key: string) =>
    request(`${url}${base}/api/v1/account`, 'GET', undefined, { authorization: `Bearer ${key}` });
  expectError(await ask('', 'south-key'), 401);
  expectError(await ask('/south', 'north-key-one'), 401);
  expect((await ask('', 'north-key-one')).body).toMatchObject({ account: { subdomain: 'north' } });
  for (let index = 0; index < 59; index += 1) await ask('', index % 2 === 0 ? 'north-key-one' : 'north-key-two');
  expectError(await ask('', 'north-key-two'), 429);
  const other = await ask('/south', 'south-key');
  expect(other.body).toMatchObject({ account: { subdomain: 'south' } });
});
