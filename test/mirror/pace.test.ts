import { expect, test } from 'vitest';
import { startMirror } from './start-mirror.ts';

/** 60 requests a minute, of which the program uses 54, and the mirror at most 16 while nobody else does. */
const limited = { ACADEMY_RATE_LIMIT: '60' };
const left = 54 - 16;

test('filling leaves the rest of the budget to people, who then wait for nothing, and there is no 429', async () => {
  const academy = await startMirror({ rateLimit: 60, students: 2_000, orders: 3_000 }, limited);
  const { call, log } = academy;
  // describe_data sends no request: its budget is what the mirror has left.
  const remaining = async () => {
    const { remaining: now } = (await call('describe_data')).meta['academy/budget'] as { remaining: number };
    return now;
  };
  await expect.poll(remaining, { timeout: 25_000, interval: 200 }).toBe(left);
  const seen = [];
  for (let count = 0; count < 20; count += 1) seen.push(await remaining());
  expect(new Set(seen)).toEqual(new Set([left]));
  const pages = Array.from({ length: left }, (_, index) => call('list_students', { page: index + 1 }));
  const answers = await Promise.all(pages);
  expect(answers.map(({ meta }) => (meta['academy/budget'] as { waited_s: number }).waited_s)).toEqual(
    pages.map(() => 0),
  );
  expect(await remaining()).toBe(0);
  expect(log.filter((line) => line.includes('"status":429'))).toEqual([]);
});
