import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { type Row, row, rows, words } from '../../support/academy.ts';
import { connect } from '../../support/connect.ts';
import { type GeneratedOrder, generatedOrder, place } from '../../support/generated-orders.ts';
import { buyers, type Count, counted, type RawOrder, rawOrders, sums } from '../../support/sales.ts';

const now = new Date('2026-11-01T12:00:00Z');
const timezone = 'Europe/Lisbon';

/** An academy with these orders and no others, and a client whose day is `now`. */
async function academyWith(orders: readonly GeneratedOrder[]) {
  const sandbox = await startSandbox({ students: 8, orders: 0, rateLimit: 'off', now });
  place(sandbox, orders);
  const { call } = await connect({ ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off' }, { now: () => now });
  return { sandbox, call };
}

const amountsOf = (revenue: unknown) =>
  Object.fromEntries(Object.entries(row(revenue ?? {})).map(([currency, sum]) => [currency, Number(sum)]));

const money = (orders: readonly RawOrder[]) => amountsOf(sums(orders));

/** The same question for the program and for the count by hand. */
const questions = fc.record({
  window: fc.constantFrom(
    { asked: {}, from: 0, to: now.getTime() },
    // Lisbon is one hour ahead of UTC in summer: its days begin at 23:00 of the day before.
    {
      asked: { created_after: '2026-03-29', created_before: '2026-03-30' },
      from: Date.parse('2026-03-29T00:00:00Z'),
      to: Date.parse('2026-03-29T23:00:00Z'),
    },
    {
      asked: { created_after: '2026-10-25', created_before: '2026-10-26' },
      from: Date.parse('2026-10-24T23:00:00Z'),
      to: Date.parse('2026-10-26T00:00:00Z'),
    },
    {
      asked: { created_after: '2026-10-24T23:00:00Z' },
      from: Date.parse('2026-10-24T23:00:00Z'),
      to: now.getTime(),
    },
    {
      asked: { period: 'last_month' },
      from: Date.parse('2026-09-30T23:00:00Z'),
      to: Date.parse('2026-11-01T00:00:00Z'),
    },
  ),
  statuses: fc.option(fc.subarray(['pending', 'failed', 'paid', 'wallet_executed'], { minLength: 1 }), {
    nil: undefined,
  }),
  include_granted: fc.boolean(),
  product: fc.constantFrom(
    { product_type: 'course', id: 1, list: 'courses' as const },
    { product_type: 'challenge', id: 13, list: 'courses' as const },
    { product_type: 'bundle', id: 6, list: 'bundles' as const },
    { product_type: 'digital_product', id: 2, list: 'digital_products' as const },
  ),
});
type Question = typeof questions extends fc.Arbitrary<infer Asked> ? Asked : never;

function asked({ window, statuses, include_granted }: Question): Row {
  return { ...window.asked, timezone, include_granted, ...(statuses === undefined ? {} : { statuses }) };
}

function countFor({ window: { from, to }, statuses, include_granted }: Question): Count {
  return { from, to, withGranted: include_granted, ...(statuses === undefined ? {} : { statuses }) };
}

const cases = fc.tuple(fc.array(generatedOrder, { maxLength: 60 }), questions);
const runs = { numRuns: 60 };

test('find_buyers equals a straight count over generated orders', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ([orders, question]) => {
      const { sandbox, call } = await academyWith(orders);
      const { product_type, id, list } = question.product;
      const { structured = {}, text } = await call('find_buyers', {
        ...asked(question),
        product: String(id),
        product_type,
        limit: 500,
        detail: 'full',
      });
      const { kept, granted } = counted(await rawOrders(sandbox), { ...countFor(question), list, id });
      await sandbox.close();
      expect(structured.totals, text).toMatchObject({
        [question.include_granted ? 'holders' : 'buyers']: buyers(kept).length,
        orders: kept.length,
        granted_excluded: question.include_granted ? 0 : granted,
      });
      expect(amountsOf(row(structured.totals).order_total)).toEqual(money(kept));
      for (const buyer of rows(structured.buyers ?? [])) {
        const own = kept.filter(({ user_email }) => user_email.toLowerCase() === String(buyer.email).toLowerCase());
        expect(new Set(rows([buyer]).flatMap(({ order_ids }) => order_ids))).toEqual(new Set(own.map((o) => o.id)));
        const { amount } = buyer;
        expect(amountsOf(typeof amount === 'string' ? { [words(structured.currency)]: amount } : amount)).toEqual(
          money(own),
        );
        expect(Date.parse(String(buyer.last_order_at))).toBe(Math.max(...own.map((o) => Date.parse(o.created_at))));
      }
      expect(rows(structured.buyers ?? [])).toHaveLength(buyers(kept).length);
    }),
    runs,
  );
});

/** The day of a moment in Lisbon, by the platform's own calendar. */
function dayOf(order: RawOrder): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(new Date(order.created_at));
}

const refs = (order: RawOrder) => [
  ...order.courses.map(({ id }) => `course ${id}`),
  ...order.bundles.map(({ id }) => `bundle ${id}`),
  ...order.digital_products.map(({ id }) => `digital_product ${id}`),
];

/** ISO 8601: a week belongs to the year of its Thursday. */
function weekOf(order: RawOrder): string {
  const day = new Date(`${dayOf(order)}T00:00:00Z`);
  const thursday = new Date(day.getTime() + (4 - (day.getUTCDay() || 7)) * 86_400_000);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / (7 * 86_400_000)) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

const keysOf: Record<string, (order: RawOrder) => string[]> = {
  day: (order) => [dayOf(order)],
  week: (order) => [weekOf(order)],
  month: (order) => [dayOf(order).slice(0, 7)],
  country: ({ billing_country }) => [billing_country || 'unknown'],
  product: (order) => (refs(order).length === 0 ? ['none'] : [...new Set(refs(order))]),
};

test('sales_report equals a straight count over generated orders, group by group', async () => {
  const groupings = fc.constantFrom('day', 'week', 'month', 'country', 'product');
  await fc.assert(
    fc.asyncProperty(cases, groupings, async ([orders, question], group_by) => {
      const { sandbox, call } = await academyWith(orders);
      const { structured = {}, text } = await call('sales_report', { ...asked(question), group_by });
      const { kept, granted } = counted(await rawOrders(sandbox), countFor(question));
      await sandbox.close();
      const people = question.include_granted ? 'holders' : 'buyers';
      const totals = { [people]: buyers(kept).length, orders: kept.length };
      expect(structured.totals, text).toMatchObject({
        ...totals,
        granted_excluded: question.include_granted ? 0 : granted,
      });
      const shared = kept.filter((order) => refs(order).length > 1).length;
      expect(row(structured.totals).shared_orders ?? 0).toBe(group_by === 'product' ? shared : 0);

      const expected = new Map<string, RawOrder[]>();
      for (const order of kept) {
        for (const key of keysOf[group_by]?.(order) ?? []) expected.set(key, [...(expected.get(key) ?? []), order]);
      }
      const groups = rows(structured.groups ?? []);
      for (const { key, orders: count, buyers: paying, holders = paying, revenue, order_total = revenue } of groups) {
        const own = expected.get(String(key)) ?? [];
        expect([count, holders], String(key)).toEqual([own.length, buyers(own).length]);
        expect(amountsOf(order_total)).toEqual(money(own));
      }
      expect(groups.map(({ key }) => String(key))).toEqual(expect.arrayContaining([...expected.keys()]));
    }),
    runs,
  );
});

test('empty days are listed in order, even when the clocks change', async () => {
  const { sandbox, call } = await academyWith([]);
  onTestFinished(() => sandbox.close());
  const bounds = { created_after: '2026-03-27', created_before: '2026-04-02', timezone };
  const { structured } = await call('sales_report', { ...bounds, group_by: 'day' });
  expect(rows(structured?.groups)).toEqual(
    ['2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31', '2026-04-01'].map((key, index) => ({
      key,
      label: ['Friday', 'Saturday', 'Sunday', 'Monday', 'Tuesday', 'Wednesday'][index],
      orders: 0,
      buyers: 0,
    })),
  );
});
