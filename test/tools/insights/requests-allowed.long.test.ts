import { expect, test } from 'vitest';
import { row } from '../../support/academy.ts';
import { startAcademy } from '../../support/connect.ts';
import { requestsOf } from '../../support/refusal.ts';

test('under auto the plan is read once, and a report then uses all that the academy plan allows', async () => {
  const { call, log } = await startAcademy(
    { orders: 7_000, plan: 'academy', rateLimit: 300 },
    { ACADEMY_RATE_LIMIT: 'auto' },
  );
  const report = await call('sales_report', { period: 'all_time' });
  expect(row(report.structured?.coverage).complete, report.text).toBe(true);
  expect(Number(requestsOf(report))).toBeGreaterThan(54);
  await call('find_buyers', { product: '7', product_type: 'course', period: 'today' });
  expect(log.filter((line) => line.includes('account.getAccount'))).toHaveLength(1);
});

test('a call without max_requests sends what the limit still allows, and no more', async () => {
  const { call } = await startAcademy({ orders: 7_000 }, { ACADEMY_RATE_LIMIT: '70' });
  for (let page = 1; page <= 20; page += 1) await call('list_orders', { page });
  const report = await call('sales_report', { period: 'all_time' });
  // 90% of 70 are 63.
  expect(requestsOf(report)).toBe(43);
  expect(row(report.structured?.coverage).complete).toBe(false);
});

test('without a limit a call without max_requests reads everything', async () => {
  const { call } = await startAcademy({ orders: 7_000 });
  const report = await call('sales_report', { period: 'all_time' });
  expect(row(report.structured?.coverage).complete, report.text).toBe(true);
});
