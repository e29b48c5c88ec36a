import { expect, test } from 'vitest';
import { row } from '../../support/academy.ts';
import { startAcademy } from '../../support/connect.ts';

// The counts of an incomplete answer look like a result unless its first words say what is missing.

const calls: [tool: string, args: object][] = [
  ['sales_report', { max_requests: 3 }],
  ['sales_report', { group_by: 'month', max_requests: 3 }],
  ['find_buyers', { max_requests: 3 }],
  ['find_buyers', { product: '7', product_type: 'course', totals_only: true, max_requests: 3 }],
  [
    'find_buyers',
    { products: ['7'], product_type: 'course', without: ['1'], period: 'last_30_days', max_requests: 10 },
  ],
  ['unpaid_orders', { max_requests: 3 }],
  ['course_progress', { course_id: 7, max_requests: 3 }],
  ['course_progress', { course_id: 7, max_requests: 15 }],
  ['community_digest', { max_requests: 3 }],
  ['search_posts', { max_requests: 3 }],
  ['list_students', { sort: 'points', max_requests: 2 }],
];

test.for(calls)('%s %j says first that it is incomplete and why, in both forms', async ([tool, args]) => {
  const { call } = await startAcademy({ orders: 900, students: 150 });
  const { text, structured = {} } = await call(tool, args as Record<string, unknown>);
  expect(text).toMatch(/^Incomplete \(.*max_requests is used up: /);
  const [first] = Object.keys(structured).filter((name) => name !== 'cut');
  expect(first).toBe('coverage');
  const { complete, next, stopped } = row(structured.coverage);
  expect(complete).toBe(false);
  expect(String(next ?? stopped)).toContain('max_requests is used up');
  expect(structured).not.toHaveProperty('total');
  const { counts_are = row(structured.totals ?? {}).counts_are } = structured;
  expect(['at least', 'at most', 'so far']).toContain(counts_are);
  expect(text.split('\n')[0]).toContain(`${counts_are} `);
});

test('an incomplete list of the largest buyers says that their order can change', async () => {
  const { call } = await startAcademy({ orders: 900, students: 150 });
  const change = 'orders that are not read yet can change who comes first';
  for (const sort of ['products', 'amount']) {
    const part = await call('find_buyers', { sort, limit: 3, max_requests: 3 });
    expect(part.text).toContain(change);
    expect((await call('find_buyers', { sort, limit: 3 })).text).not.toContain(change);
  }
});

test('an answer that the rate limit ended says how long to wait', async () => {
  const { call } = await startAcademy({ orders: 2_000, students: 150 }, { ACADEMY_RATE_LIMIT: '14' });
  const { text, structured = {} } = await call('sales_report');
  const wait = 'the rate limit is used up: wait 60 s, then go on with next_cursor';
  expect(text).toMatch(/^Incomplete \(\d+ of \d+ or more pages of orders read; /);
  expect(text).toContain(`; ${wait}): `);
  expect(row(structured.coverage).next).toBe(wait);
});
