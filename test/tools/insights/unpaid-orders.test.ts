import { expect, test } from 'vitest';
import { row, rows } from '../../support/academy.ts';
import { addOrder, daysAgo, peopleIn } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { requestsOf } from '../../support/refusal.ts';
import { rawOrders } from '../../support/sales.ts';
import { expectSameFacts } from '../../support/text-form.ts';
import { everyPart } from '../../support/truth.ts';
import { withWholeRows } from '../../support/whole-rows.ts';

/** Ana tried course 7 twice; Ben tried it and paid later; Cyd was granted it long before he tried. */
async function startWithAttempts() {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const { ana, ben, cyd } = peopleIn(sandbox);
  addOrder(sandbox, ana, { courses: [7], status: 'failed', amount: '49.00', created_at: daysAgo(3) });
  const last = addOrder(sandbox, ana, { courses: [7], status: 'pending', amount: '39.00', created_at: daysAgo(2) });
  addOrder(sandbox, ben, { courses: [7], status: 'failed', created_at: daysAgo(20) });
  addOrder(sandbox, ben, { courses: [7], status: 'wallet_executed', created_at: daysAgo(1) });
  addOrder(sandbox, cyd, { courses: [7], amount: '0', created_at: daysAgo(300) });
  addOrder(sandbox, cyd, { courses: [7], status: 'failed', created_at: daysAgo(2) });
  return { call, ana, last };
}

test('failed and pending orders are listed once for each buyer who still lacks the product', async () => {
  const { call, ana, last } = await startWithAttempts();
  const { structured, text } = await call('unpaid_orders');
  expect(structured?.totals).toEqual({ people: 1, orders: 2, open_amount: { USD: '39.00' } });
  expect(rows(structured?.unpaid)).toMatchObject([
    {
      email: ana.email,
      product: 'course 7',
      status: 'pending',
      amount: '39.00',
      currency: 'USD',
      attempts: 2,
      order_id: last.id,
    },
  ]);
  expect(text).toMatch(/^Unpaid orders of any product .*: 1 person without the product, 2 orders, 39.00 USD open\./);
  expect(text).toContain(ana.email);
  expectSameFacts(text, structured ?? {}, ['product', 'period', 'totals']);
});

test('rows show the day in the time zone, and the minute in a period of at most 48 hours', async () => {
  const { call, ana, last } = await startWithAttempts();
  const zoned = new Date(last.created_at + 14 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ');
  const short = {
    created_after: new Date(daysAgo(2.9)).toISOString(),
    created_before: new Date(daysAgo(1.5)).toISOString(),
  };
  for (const [period, shown] of [
    [{}, zoned.slice(0, 10)],
    [short, zoned],
  ] as const) {
    const { structured, text } = await call('unpaid_orders', { ...period, timezone: 'Pacific/Kiritimati' });
    expect(rows(structured?.unpaid)).toMatchObject([{ email: ana.email, last_order_at: shown }]);
    expect(text).toContain(`| ${shown} |`);
  }
});

test('a purchase or grant outside the period counts, at one request for each person', async () => {
  const { call, ana } = await startWithAttempts();
  for (const bounds of [
    { period: 'last_7_days' },
    { created_after: new Date(daysAgo(30)).toISOString(), created_before: new Date(daysAgo(1.5)).toISOString() },
  ]) {
    const { structured } = await call('unpaid_orders', { ...bounds, product: '7', product_type: 'course' });
    expect(rows(structured?.unpaid).map(({ email }) => email)).toEqual([ana.email]);
    expect(row(structured?.coverage).complete).toBe(true);
  }
});

test('a buyer whose access has ended lacks the product, and one whose access lasts does not', async () => {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const { ana, ben, cyd } = peopleIn(sandbox);
  // Access to course 4 lasts 180 days, to challenge 13 less; to course 7 it has no end.
  for (const [student, paid, courses] of [
    [ana, 200, [4]],
    [ben, 100, [4]],
    [cyd, 200, [7]],
    [cyd, 90, [13]],
  ] as const) {
    addOrder(sandbox, student, { courses: [...courses], created_at: daysAgo(paid) });
    addOrder(sandbox, student, { courses: [...courses], status: 'failed', created_at: daysAgo(2) });
  }
  // One request is the page of orders: whose access has ended is read by the next parts.
  const parts = await everyPart(call, 'unpaid_orders', { max_requests: 1 });
  const [first, last] = [parts[0]?.structured, parts.at(-1)?.structured];
  expect(parts[0]?.text).toMatch(/^Incomplete/);
  expect(row(first?.coverage).complete).toBe(false);
  expect(new Set(rows(withWholeRows(first).unpaid).map(({ unchecked }) => unchecked))).toEqual(new Set([true]));
  expect(first?.note).toContain('may have paid outside the period, or still have access');
  expect([row(last?.coverage).complete, rows(last?.unpaid).length]).toEqual([true, 2]);
  const ended = new Date(daysAgo(20)).toISOString().slice(0, 10);
  for (const bounds of [{}, { period: 'last_7_days' }]) {
    const { structured, text } = await call('unpaid_orders', bounds);
    const found = rows(structured?.unpaid).map(({ email, product }) => [email, product]);
    expect(found.sort()).toEqual(
      [
        [ana.email, 'course 4'],
        [cyd.email, 'course 13'],
      ].sort(),
    );
    expect(rows(structured?.unpaid).find(({ email }) => email === ana.email)?.access_ended).toBe(ended);
    expect(text).toContain(ended);
    expect(row(structured?.coverage).complete).toBe(true);
  }
});

test('the rows equal a straight count over raw orders, page by page', async () => {
  const { sandbox, call } = await startAcademy({ orders: 600, students: 60 });
  const raw = await rawOrders(sandbox);
  const has = new Set<string>();
  for (const { status, user_email, courses } of raw) {
    if (status !== 'paid' && status !== 'wallet_executed') continue;
    for (const { id } of courses) has.add(`${user_email.toLowerCase()} ${id}`);
  }
  const expected = new Map<string, number>();
  for (const { status, user_email, courses } of raw) {
    const key = user_email.toLowerCase();
    const isTried = (status === 'failed' || status === 'pending') && courses.some(({ id }) => id === 7);
    if (isTried && !has.has(`${key} 7`)) expected.set(key, (expected.get(key) ?? 0) + 1);
  }
  expect(expected.size).toBeGreaterThan(1);
  const parts = await everyPart(call, 'unpaid_orders', { product: '7', product_type: 'course', limit: 1 });
  for (const part of parts.slice(1)) expect(requestsOf(part)).toBe(0);
  const unpaid = parts.flatMap(({ structured }) => rows(structured?.unpaid));
  const found = new Map(unpaid.map(({ email, attempts }) => [String(email).toLowerCase(), attempts]));
  expect(found).toEqual(expected);
});

test('an academy without unpaid orders says so', async () => {
  const { call } = await startAcademy({ orders: 0 });
  const { structured, text } = await call('unpaid_orders');
  expect(structured?.note).toContain('nothing found: among 0 orders');
  expect(text).toContain('nothing found');
});
