import { expect, test } from 'vitest';
import { interleave, median, p95, perSecond, quantile } from './statistics.ts';

test('a quantile is one of the samples, in any order of the samples', () => {
  const samples = [5, 1, 4, 2, 3];
  expect(median(samples)).toBe(3);
  expect(quantile(samples, 0)).toBe(1);
  expect(p95(Array.from({ length: 100 }, (_, index) => 100 - index))).toBe(95);
  expect(median([])).toBeNaN();
});

test('each subject is first in some round, and warm-ups do not count', async () => {
  const order: string[] = [];
  const results = await interleave(['a', 'b'], { rounds: 2, warmUps: 1 }, async (subject) => order.push(subject));
  expect(order.join('')).toBe('abbaab');
  expect(results).toEqual([
    { subject: 'a', samples: [4, 5] },
    { subject: 'b', samples: [3, 6] },
  ]);
});

test('every piece of work is done once, and no more than the given number is in flight', async () => {
  const done: number[] = [];
  let atWork = 0;
  let most = 0;
  await perSecond(20, 4, async (index) => {
    atWork += 1;
    most = Math.max(most, atWork);
    await Promise.resolve();
    done.push(index);
    atWork -= 1;
  });
  expect([...done].sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(most).toBe(4);
});
