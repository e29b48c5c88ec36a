import { expect, test } from 'vitest';
import { row } from '../support/academy.ts';
import { startAcademy } from '../support/connect.ts';
import { startGuarded } from '../support/guarded.ts';
import { collectWarnings } from '../support/warnings.ts';

test('a call that waited for the request limit says for how long, in both forms, and another says nothing', async () => {
  const { call } = await startGuarded({}, {}, { rateLimit: 1, windowMs: 2_000 });
  const first = await call('list_courses');
  expect(first.structured).not.toHaveProperty('waited_s');
  const { structured, text, meta } = await call('list_orders');
  const { waited_s: waited } = row(meta['academy/budget']);
  expect(Number(waited)).toBeGreaterThanOrEqual(1);
  expect(structured?.waited_s).toBe(waited);
  expect(text).toContain(`Waited ${waited} s for the request limit.`);
});

test('a write that would wait too long was not applied', async () => {
  const settings = { ACADEMY_RATE_LIMIT: '1', ACADEMY_RATE_SHARE: '1', ACADEMY_MAX_WAIT_MS: '10000' };
  const { call } = await startAcademy({}, settings);
  await call('list_roles');
  const { text } = await call('grant_role', { email: 'ana@example.com', role_id: 1 });
  expect(text).toMatch(/^rate_limited/);
  expect(text).toContain('Outcome: not_applied');
});

test('a call that reads much at once gives no warning about listeners', async () => {
  const { call } = await startAcademy();
  const warnings = collectWarnings();
  await call('find_buyers', { period: 'last_7_days', without: ['1', '2', '3', '4', '5'] });
  expect(warnings).toEqual([]);
});
