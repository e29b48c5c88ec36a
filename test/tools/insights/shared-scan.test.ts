import { expect, test } from 'vitest';
import { at, row } from '../../support/academy.ts';
import { daysAgo } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { requestsOf } from '../../support/refusal.ts';

// Reports over the same closed period differ only in their groups, so they share what was read.

const day = (days: number) => new Date(daysAgo(days)).toISOString();
const year = { created_after: day(700), created_before: day(3) };
const ordersIn = (answer: { structured?: object | undefined }) => Number(row(row(answer.structured).totals).orders);

const startWithOrders = () => startAcademy({ orders: 900, students: 150 });

test('a report that runs in between never makes a continued report smaller', async () => {
  const { call } = await startWithOrders();
  const first = await call('sales_report', { ...year, max_requests: 6 });
  await call('sales_report', { ...year, group_by: 'country', max_requests: 2 });
  const { next_cursor: cursor } = row(first.structured);
  const second = await call('sales_report', { ...year, max_requests: 1, cursor });
  expect(ordersIn(second)).toBeGreaterThan(ordersIn(first));
});

test('another report over a closed period reads no page again', async () => {
  const { call } = await startWithOrders();
  const [one, other] = await Promise.all([
    call('sales_report', { ...year, group_by: 'month' }),
    call('sales_report', { ...year, group_by: 'product' }),
  ]);
  expect(ordersIn(other)).toBe(ordersIn(one));
  expect(Math.min(Number(requestsOf(one)), Number(requestsOf(other)))).toBeLessThan(3);
  expect(requestsOf(await call('find_buyers', { ...year }))).toBe(0);
});

test('after a write a report reads the orders again', async () => {
  const { sandbox, call } = await startWithOrders();
  const before = await call('sales_report', year);
  const email = at(sandbox.academy.students.all(), 1).email ?? '';
  await call('grant_role', { email, role_id: 1 });
  const after = await call('sales_report', year);
  expect(requestsOf(after)).toBe(requestsOf(before));
});
