import { expect, test } from 'vitest';
import { askWhileFilling } from '../reliability/figures/f22-mirror.ts';

// The figure F22 asks for five minutes, and allows 5% more.
test('a person waits no longer while a mirror is filled, and nothing is refused with 429', {
  timeout: 60_000,
}, async () => {
  const { failures, filled } = await askWhileFilling('short');
  expect(failures).toEqual([]);
  expect(filled).toBeGreaterThan(0);
});
