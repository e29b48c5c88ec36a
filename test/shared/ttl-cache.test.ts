import { expect, test } from 'vitest';
import { createTtlCache } from '../../src/shared/ttl-cache.ts';

const letters = (count: number) => [{ text: 'x'.repeat(count) }];
const weigh = (value: object) => JSON.stringify(value).length;

test('above the maximum weight the oldest entry is deleted, and the newest never', () => {
  const kept = createTtlCache<object[]>({
    ttlMs: 1_000,
    maxEntries: 20,
    maxWeight: 10_000,
    weigh,
    now: () => 0,
  });
  for (const name of ['a', 'b', 'c']) kept.set(name, letters(4_000));
  expect(['a', 'b', 'c'].map((name) => kept.get(name) !== undefined)).toEqual([false, true, true]);
  kept.set('d', letters(50_000));
  expect(['b', 'c', 'd'].map((name) => kept.get(name) !== undefined)).toEqual([false, false, true]);
  kept.set('d', letters(4_000));
  kept.set('e', letters(4_000));
  expect(['d', 'e'].map((name) => kept.get(name) !== undefined)).toEqual([true, true]);
});

test('expired and deleted entries do not count towards the weight', () => {
  let now = 0;
  const kept = createTtlCache<object[]>({
    ttlMs: 10,
    maxEntries: 20,
    maxWeight: 9_000,
    weigh,
    now: () => now,
  });
  kept.set('a', letters(4_000));
  kept.delete('a');
  kept.set('b', letters(4_000));
  now = 20;
  kept.set('c', letters(4_000));
  kept.set('d', letters(4_000));
  expect(['c', 'd'].map((name) => kept.get(name) !== undefined)).toEqual([true, true]);
});
