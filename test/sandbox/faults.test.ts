import { expect, test } from 'vitest';
import { type Fault, faultSource } from '../../src/sandbox/accounts.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { expectError, request } from '../support/academy.ts';
import { call, start } from '../support/sandbox.ts';

/** Sends enrollments one at a time. Returns the status of each, or "cut" if the connection closed. */
async function enrollMany(sandbox: Sandbox, count: number): Promise<(number | 'cut')[]> {
  const outcomes: (number | 'cut')[] = [];
  for (let index = 0; index < count; index += 1) {
    const body = { email: `user${index}@example.com`, name: 'User' };
    const answer = await call(sandbox, 'POST', '/api/v1/student/enroll', body).catch(() => undefined);
    outcomes.push(answer?.status ?? 'cut');
  }
  return outcomes;
}

test('a refused write is not performed, a cut one is', async () => {
  const sandbox = await start({ failRate: 0.6 });
  const outcomes = await enrollMany(sandbox, 60);
  expect(new Set(outcomes)).toEqual(new Set([200, 500, 503, 'cut']));
  outcomes.forEach((outcome, index) => {
    const done = sandbox.academy.students.withEmail(`user${index}@example.com`) !== undefined;
    expect(done, `${index}: ${outcome}`).toBe(outcome === 200 || outcome === 'cut');
  });
});

test('the same seed fails the same requests, another seed fails others', async () => {
  const [first, again] = [await start({ failRate: 0.5 }), await start({ failRate: 0.5 })];
  const other = await start({ failRate: 0.5, seed: 2 });
  const outcomes = await enrollMany(first, 40);
  expect(await enrollMany(again, 40)).toEqual(outcomes);
  expect(await enrollMany(other, 40)).not.toEqual(outcomes);
});

test('the share of failures equals the rate, and half of them are cut', () => {
  const next = faultSource(0.2, 1);
  const faults = Array.from({ length: 10_000 }, next);
  const count = (fault: Fault) => faults.filter((drawn) => drawn === fault).length;
  expect(count(undefined)).toBeGreaterThan(7800);
  expect(count(undefined)).toBeLessThan(8200);
  expect(count('cut')).toBeGreaterThan(900);
  expect(count('cut')).toBeLessThan(1100);
});

test('an injected failure has the error body', async () => {
  const sandbox = await start({ failRate: 1 });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call(sandbox, 'GET', '/api/v1/account').catch(() => undefined)),
  );
  const refused = answers.filter((answer) => answer !== undefined);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused) {
    expect([500, 503]).toContain(answer.status);
    expectError(answer, answer.status, answer.status === 500 ? 'internal' : 'unavailable');
    expect(answer.headers.get('x-api-version')).toBe('v1');
  }
});

test('a missing key and an exceeded limit are reported even at a failure rate of 1', async () => {
  const sandbox = await start({ failRate: 1, rateLimit: 1 });
  expectError(await request(`${sandbox.url}/api/v1/account`, 'GET'), 401);
  await call(sandbox, 'GET', '/api/v1/account').catch(() => undefined);
  expectError(await call(sandbox, 'GET', '/api/v1/account'), 429);
});

test('latency delays each response, and responses do not wait for each other', async () => {
  const sandbox = await start({ latencyMs: 300 });
  const began = performance.now();
  const statuses = await Promise.all([
    ...Array.from({ length: 10 }, async () => (await call(sandbox, 'GET', '/api/v1/account')).status),
    request(`${sandbox.url}/api/v1/account`, 'GET').then(({ status }) => status),
  ]);
  const took = performance.now() - began;
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 401]);
  expect(took).toBeGreaterThanOrEqual(295);
  expect(took).toBeLessThan(10 * 300);
});
