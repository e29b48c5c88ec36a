import { expect, test } from 'vitest';
import { row } from '../support/academy.ts';
import { startGuarded } from '../support/guarded.ts';

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
