import { expect, test } from 'vitest';
import type { Exchange } from '../../reliability/fault-server.ts';
import { at, type Row, row, whole } from '../../support/academy.ts';
import { daysAgo } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { startBetween } from '../../support/guarded.ts';
import { requestsOf } from '../../support/refusal.ts';
import { counted, rawOrders } from '../../support/sales.ts';

const course = { product: '7', product_type: 'course', limit: 500 };

/** An academy, and a program whose clock can be moved. */
async function startWithClock() {
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  const { sandbox, between, onPath, call } = await startBetween({ students: 150, orders: 900 }, {}, { now });
  const moveOn = (minutes: number) => {
    ahead += minutes * 60_000;
  };
  /** Answers to requests like this one take so long. */
  const slow = (like: RegExp, minutes: number) => {
    const act = async ({ answer, work }: Exchange) => {
      moveOn(minutes);
      answer(await work());
    };
    return between.arm({ name: 'slow', fault: { at: 'body', act }, match: (_, path) => like.test(path), times: 1 });
  };
  const { kept } = counted(await rawOrders(sandbox), { to: Date.now(), list: 'courses', id: 7 });
  return { between, onPath, call, moveOn, slow, kept };
}

test('a slow part caches its pages for five minutes after its end', async () => {
  const { call, slow, moveOn, kept } = await startWithClock();
  slow(/[?&]page=2(&|$)/, 6);
  const first = await call('find_buyers', { ...course, max_requests: 5 });
  const left = whole(row(first.structured?.coverage).pages_left);
  moveOn(4);
  const second = await call('find_buyers', { ...course, cursor: first.structured?.next_cursor });
  expect(requestsOf(second)).toBe(left);
  expect(second.structured?.totals).toMatchObject({ orders: kept.length });
});

test('a slow part that reads students caches their progress', async () => {
  const { call, slow, moveOn } = await startWithClock();
  const asked = { course_id: 7, max_requests: 15 };
  const told = await call('course_progress', asked);
  slow(/completion-percentage/, 6);
  const first = await call('course_progress', { ...asked, cursor: told.structured?.next_cursor });
  const left = whole(row(first.structured?.coverage).students_left);
  moveOn(4);
  const next = { ...asked, max_requests: left, cursor: first.structured?.next_cursor };
  const second = await call('course_progress', next);
  expect(row(second.structured?.coverage).complete).toBe(true);
  expect(requestsOf(second)).toBe(left);
});

test('parts that come too late for the cached pages report the max_requests that would be enough', async () => {
  const { between, call, moveOn, kept } = await startWithClock();
  let answer = await call('find_buyers', { ...course, max_requests: 4 });
  expect(answer.text).toMatch(
    /^Incomplete \(3 of \d+ or more pages of orders read; max_requests is used up: go on with next_cursor, or raise it\): at least /,
  );
  for (let part = 0; part < 2; part += 1) {
    moveOn(6);
    const cursor = answer.structured?.next_cursor;
    answer = await call('find_buyers', { ...course, max_requests: 4, cursor });
    expect(answer.text).toMatch(/^Incomplete.*max_requests must be at least \d+ to finish/);
  }
  const { needs_max_requests: enough } = row(answer.structured?.coverage);
  expect(answer.text).toContain(`at least ${whole(enough)} to finish`);
  moveOn(6);
  const before = between.log.length;
  const last = { ...course, max_requests: enough, cursor: answer.structured?.next_cursor };
  const final = await call('find_buyers', last);
  expect(between.log.length - before).toBe(enough);
  expect(row(final.structured?.coverage).complete).toBe(true);
  expect(final.structured?.totals).toMatchObject({ orders: kept.length });
});

test('if each part reads the students again, the max_requests that would be enough counts them too', async () => {
  const { call, moveOn } = await startWithClock();
  const ask = (max_requests: unknown, more: Row = {}) =>
    call('course_progress', { course_id: 7, max_requests, ...more });
  const told = await ask(15);
  moveOn(6);
  const late = await ask(15, { cursor: told.structured?.next_cursor });
  const enough = row(late.structured?.coverage).needs_max_requests;
  expect(late.text).toContain(`max_requests must be at least ${whole(enough)} to finish`);
  moveOn(6);
  const last = await ask(enough, { cursor: late.structured?.next_cursor });
  expect(row(last.structured?.coverage).complete, last.text).toBe(true);
  expect(requestsOf(last)).toBe(enough);
});

test('an answer that uses the orders of people from an earlier call is as old as their reading', async () => {
  const { onPath, call } = await startWithClock();
  const older = async ({ answer, work }: Exchange) => void answer(await work(), { age: '3600' });
  const aged = onPath('user_email=', { at: 'body', act: older });
  const day = (days: number) => new Date(daysAgo(days)).toISOString();
  const days = { created_after: day(40), created_before: day(10) };
  const asked = { product: '7', product_type: 'course', without: ['8'], ...days };
  const first = await call('find_buyers', asked);
  const asOf = String(row(first.structured?.coverage).as_of);
  expect(Date.parse(asOf)).toBeLessThan(Date.now() - 3_500_000);
  const sent = aged.consumed();
  const second = await call('find_buyers', asked);
  expect(aged.consumed()).toBe(sent);
  expect(row(second.structured?.coverage).as_of).toBe(asOf);
});

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
