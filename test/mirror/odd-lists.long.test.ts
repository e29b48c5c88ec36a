import { expect, test } from 'vitest';
import { type Row, row, rows } from '../support/academy.ts';
import { start } from '../support/sandbox.ts';
import { startRewriting } from './rewriting.ts';
import { rowsOf, startMirror, whenFilled } from './start-mirror.ts';

/** An academy whose lists are others than the document says, and a client of a server with a mirror of it. */
async function startOdd(odd: Parameters<typeof startRewriting>[3]) {
  const sandbox = await start({ rateLimit: 'off', students: 40, orders: 250 });
  const ACADEMY_BASE_URL = await startRewriting(sandbox.url, {}, undefined, odd);
  return await startMirror({}, { ACADEMY_BASE_URL, ACADEMY_API_KEY: sandbox.apiKey });
}

const isPeriod = (path: string) => path.includes('/orders') && path.includes('created_before=');
const countOrders = 'SELECT count(*) AS n FROM orders';

test('orders of an API without totals are complete after each page was read twice with the same ids', async () => {
  let isFlaky = true;
  const readingsOf = new Map<string, number>();
  const academy = await startOdd({
    answers: ({ meta: _, ...body }, path) => {
      if (!isPeriod(path)) return body;
      const [orders, times] = [rows(body.orders), (readingsOf.get(path) ?? 0) + 1];
      readingsOf.set(path, times);
      // Each reading lacks another order.
      return isFlaky ? { ...body, orders: orders.filter((_one, index) => index !== times % orders.length) } : body;
    },
  });
  await expect.poll(() => readingsOf.size, { timeout: 25_000 }).toBeGreaterThan(2);
  const first = await academy.call('refresh_data');
  expect(first.structured).toMatchObject({ finished: false, coverage: { complete: false } });
  expect(first.text).toMatch(/two readings showed different orders|changed while it was read/);
  isFlaky = false;
  readingsOf.clear();
  await academy.call('refresh_data', { since: '2000-01-01' });
  await whenFilled(academy);
  expect(await rowsOf(academy, countOrders)).toEqual([{ n: 250 }]);
  expect((await academy.call('query_data', { sql: countOrders })).text).toContain('Orders complete (250)');
  for (const [path, times] of readingsOf) expect(times, path).toBeGreaterThan(1);
});

test('a platform that ignores the bounds of a period has shown all of its orders at once', async () => {
  const academy = await startOdd({ asks: (path) => path.replace(/&?created_(after|before)=[^&]*/g, '') });
  await whenFilled(academy);
  expect(await rowsOf(academy, countOrders)).toEqual([{ n: 250 }]);
  const { structured, text } = await academy.call('refresh_data');
  expect(structured, text).toMatchObject({ finished: true, coverage: { complete: true } });
});

const lists = [
  ['students', '/students', 'students', 'total_students'],
  ['catalog', '/courses', 'courses', 'total_courses'],
] as const;

test.each(lists)('a row of %s that one reading lacks stays, and goes if two lack it', async (what, end, key, total) => {
  let lacking = 0;
  const answers = (body: Row, path: string) => {
    if (!new URL(path, 'http://localhost').pathname.endsWith(end) || lacking === 0) return body;
    lacking -= 1;
    const meta = row(body.meta ?? {});
    return { ...body, [key]: rows(body[key]).slice(1), meta: { ...meta, [total]: Number(meta[total]) - 1 } };
  };
  const academy = await startOdd({ answers });
  await whenFilled(academy);
  const count = async () => (await rowsOf(academy, `SELECT count(*) AS n FROM ${key}`))[0]?.n;
  const all = Number(await count());
  for (const [times, left] of [
    [1, all],
    [2, all - 1],
    [0, all],
  ] as const) {
    lacking = times;
    const { structured, text } = await academy.call('refresh_data', { what });
    expect(structured, text).toMatchObject({ finished: true });
    expect(await count(), `lacked ${times} times`).toBe(left);
  }
});
