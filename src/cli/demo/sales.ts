import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { dayMs } from '../../shared/durations.ts';
import type { DemoContext } from './connection.ts';

interface Course {
  id: number;
  title: string;
}

/** Results for the later steps. */
export interface Sales {
  /** Courses that were sold, the best seller first. */
  courses: readonly Course[];
  best: Course;
  /** Emails. */
  buyers: readonly string[];
}

const revenue = z.record(z.string(), z.string());

/** Best sellers first. The key is such as `course 7`. */
const salesReport = z.object({
  groups: z.array(z.object({ key: z.string(), label: z.string().default('') })).default([]),
});

/** The courses among the rows of a report, the best seller first. */
export function coursesIn(groups: z.output<typeof salesReport>['groups']): Course[] {
  return groups.flatMap(({ key, label }) => {
    const [, id] = /^course (\d+)$/.exec(key) ?? [];
    return id === undefined ? [] : [{ id: Number(id), title: label }];
  });
}

const buyer = z.object({
  email: z.string(),
  orders: z.int().default(1),
  /** A text is a sum in the currency of the answer. */
  amount: z.union([z.string(), revenue]),
});

const foundBuyers = z
  .object({
    product: z.object({ id: z.int() }),
    period: z.object({ from: z.iso.datetime(), to: z.iso.datetime() }),
    totals: z.object({ buyers: z.int(), orders: z.int(), granted_excluded: z.int(), order_total: revenue }),
    currency: z.string().default(''),
    /** Values that most rows share, stated once. */
    defaults: z.looseObject({}).default({}),
    buyers: z.array(z.looseObject({})).default([]),
    coverage: z.object({ complete: z.boolean() }),
  })
  .transform(({ currency, defaults, buyers, ...found }) => ({
    ...found,
    buyers: buyers.map((row) => {
      const { amount, ...shown } = buyer.parse({ ...defaults, ...row });
      return { ...shown, amount: typeof amount === 'string' ? { [currency]: amount } : amount };
    }),
  }));

export type FoundBuyers = z.output<typeof foundBuyers>;

/** The fields of an API order that the counts need. */
const rawOrders = z.object({
  orders: z.array(
    z.object({
      status: z.string(),
      user_email: z.string(),
      amount: z.string(),
      currency: z.string(),
      created_at: z.string(),
      courses: z.array(z.object({ id: z.int() })),
    }),
  ),
});

type RawOrder = z.output<typeof rawOrders>['orders'][number];
type Raw = Pick<DemoContext, 'fetchRaw'>;

/** Every order of the HTTP API. */
export async function fetchOrders({ fetchRaw }: Raw): Promise<RawOrder[]> {
  return (await fetchRaw(rawOrders, 'orders?status=all')).orders;
}

export const isPaid = ({ status }: RawOrder) => status === 'paid' || status === 'wallet_executed';
const isBought = ({ amount }: RawOrder) => /[1-9]/.test(amount);

function byEmail(orders: readonly RawOrder[]): Map<string, RawOrder[]> {
  const found = new Map<string, RawOrder[]>();
  for (const order of orders) {
    const email = order.user_email.toLowerCase();
    found.set(email, [...(found.get(email) ?? []), order]);
  }
  return found;
}

/** Sums by currency, in whole cents: the embedded academy writes each price with two decimals. */
function sums(orders: readonly RawOrder[]): Record<string, string> {
  const cents: Record<string, number> = {};
  for (const { amount, currency } of orders) {
    cents[currency] = (cents[currency] ?? 0) + Number(amount.replace('.', ''));
  }
  return Object.fromEntries(Object.entries(cents).map(([currency, sum]) => [currency, (sum / 100).toFixed(2)]));
}

/** Answers the same question from the raw orders. Throws if the answer differs; returns the number of orders read. */
export async function checkAgainstRaw(raw: Raw, { period, product, ...answer }: FoundBuyers): Promise<number> {
  const all = await fetchOrders(raw);
  const [from, to] = [Date.parse(period.from), Date.parse(period.to)];
  const ofCourse = all.filter((order) => {
    const at = Date.parse(order.created_at);
    return isPaid(order) && at >= from && at < to && order.courses.some(({ id }) => id === product.id);
  });
  const bought = ofCourse.filter(isBought);
  const found = [...byEmail(bought)].map(([email, own]) => [email, { orders: own.length, amount: sums(own) }] as const);
  const counts = { buyers: found.length, orders: bought.length, granted_excluded: ofCourse.length - bought.length };
  const expected = { totals: { ...counts, order_total: sums(bought) }, buyers: Object.fromEntries(found) };
  const rows = answer.buyers.map(({ email, orders, amount }) => [email.toLowerCase(), { orders, amount }]);
  const answered = { totals: answer.totals, buyers: Object.fromEntries(rows) };
  const isWhole = answer.coverage.complete && rows.length === found.length;
  if (isWhole && isDeepStrictEqual(answered, expected)) return all.length;
  throw new Error(
    `the answer counts ${answer.totals.orders} purchases, the raw orders hold ${bought.length} (or other buyers or sums)`,
  );
}

/** Asks who bought the best seller last week, and checks the answer against the raw orders. */
export async function showBuyers(demo: DemoContext): Promise<Sales> {
  demo.question('What sold last week?');
  const report = await demo.ask(salesReport, 'sales_report', { period: 'last_week', group_by: 'product' });
  const courses = coursesIn(report.groups);
  const [best] = courses;
  if (best === undefined) throw new Error('no course was sold in the last week');

  demo.question(`Who bought “${best.title}” last week?`);
  const found = await demo.ask(foundBuyers, 'find_buyers', { product: best.title, period: 'last_week' });
  const all = await checkAgainstRaw(demo, found);
  const { orders, buyers, granted_excluded: granted } = found.totals;
  demo.check(
    `A direct count over all ${all} raw orders of the HTTP API finds the same ${orders} purchases by ${buyers} buyers. Access that an admin granted is not a purchase (excluded: ${granted}).`,
  );
  return { courses, best, buyers: found.buyers.map(({ email }) => email) };
}

/** The mirror begins with the last seven days, today included. */
const daysBefore = 6;

const repeatBuyers = z.object({ rows: z.array(z.object({ email: z.string(), orders: z.int() })).default([]) });

/** Asks a question that no tool foresees, with SQL over a copy of the academy, and checks the answer against the raw orders. */
export async function askAnything(demo: DemoContext): Promise<void> {
  const since = new Date(Date.now() - daysBefore * dayMs).toISOString().slice(0, 10);
  demo.question(`Who has bought on more than one day since ${since}?`);
  const { finished } = await demo.ask(z.object({ finished: z.boolean() }), 'refresh_data');
  if (!finished) throw new Error('the new orders were not read in time');
  const sql = `SELECT email_key AS email, count(*) AS orders FROM orders WHERE status IN ('paid', 'wallet_executed') AND amount_e4 > 0 AND day >= '${since}' GROUP BY email_key HAVING count(DISTINCT day) > 1 ORDER BY orders DESC, email`;
  demo.say(`    ${sql}`);
  const { rows } = await demo.ask(repeatBuyers, 'query_data', { sql });
  const dayOf = ({ created_at: time }: RawOrder) => time.slice(0, 10);
  const bought = (await fetchOrders(demo)).filter((one) => isPaid(one) && isBought(one) && dayOf(one) >= since);
  const repeated = [...byEmail(bought)].filter(([, own]) => new Set(own.map(dayOf)).size > 1);
  const expected = Object.fromEntries(repeated.map(([email, own]) => [email, own.length]));
  const answered = Object.fromEntries(rows.map(({ email, orders }) => [email, orders]));
  if (!isDeepStrictEqual(answered, expected)) throw new Error('the raw orders hold other buyers than the copy');
  demo.check(`A direct count over all raw orders of the HTTP API finds the same ${rows.length} buyers.`);
}
