import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { DemoContext } from './demo-context.ts';
import type { FoundBuyers } from './tool-results.ts';

// An independent count, which shares no code with the tool that it checks.

type Academy = Pick<DemoContext, 'sandbox' | 'signal'>;

/** The fields of an API order that the count needs. */
const rawOrder = z.object({
  status: z.string(),
  user_email: z.string(),
  amount: z.string(),
  currency: z.string(),
  created_at: z.string(),
  courses: z.array(z.object({ id: z.int() })),
});
const rawOrders = z.object({ orders: z.array(rawOrder) });

type RawOrder = z.output<typeof rawOrder>;

/** Reads all orders directly from the HTTP API, without our server and without a filter. */
export async function fetchAll({ sandbox, signal }: Academy): Promise<RawOrder[]> {
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  const response = await fetch(`${sandbox.url}/api/v1/orders?status=all`, { headers, signal });
  if (!response.ok) throw new Error(`the raw orders could not be read: HTTP ${response.status}`);
  return rawOrders.parse(await response.json()).orders;
}

function isGranted({ amount }: RawOrder): boolean {
  return !/[1-9]/.test(amount);
}

/** Sums by currency, in whole cents: the embedded academy writes each price with two decimals. */
function sums(orders: readonly RawOrder[]): Record<string, string> {
  const cents: Record<string, number> = {};
  for (const { amount, currency } of orders) {
    cents[currency] = (cents[currency] ?? 0) + Number(amount.replace('.', ''));
  }
  return Object.fromEntries(Object.entries(cents).map(([currency, sum]) => [currency, (sum / 100).toFixed(2)]));
}

/** Maps each buyer (in lower case) to the number of their orders and what they paid. */
function byEmail(orders: readonly RawOrder[]) {
  const emails = new Set(orders.map(({ user_email }) => user_email.toLowerCase()));
  return Object.fromEntries(
    [...emails].map((email) => {
      const own = orders.filter(({ user_email }) => user_email.toLowerCase() === email);
      return [email, { orders: own.length, amount: sums(own) }];
    }),
  );
}

function count(all: readonly RawOrder[], { period, product }: FoundBuyers) {
  const [from, to] = [Date.parse(period.from), Date.parse(period.to)];
  const ofCourse = all.filter(({ status, created_at, courses }) => {
    const at = Date.parse(created_at);
    const isPaid = status === 'paid' || status === 'wallet_executed';
    return isPaid && at >= from && at < to && courses.some(({ id }) => id === product.id);
  });
  const bought = ofCourse.filter((order) => !isGranted(order));
  const buyers = byEmail(bought);
  const granted = ofCourse.length - bought.length;
  const totals = { buyers: Object.keys(buyers).length, orders: bought.length, granted_excluded: granted };
  return { totals: { ...totals, order_total: sums(bought) }, buyers };
}

/** Answers the same question from the raw orders. Throws if the answer differs; returns the number of orders read. */
export async function checkAgainstRaw(academy: Academy, answer: FoundBuyers): Promise<number> {
  const all = await fetchAll(academy);
  const expected = count(all, answer);
  const rows = answer.buyers.map(({ email, orders, amount }) => [email.toLowerCase(), { orders, amount }]);
  const answered = { totals: answer.totals, buyers: Object.fromEntries(rows) };
  const isWhole = answer.coverage.complete && rows.length === expected.totals.buyers;
  if (isWhole && isDeepStrictEqual(answered, expected)) return all.length;
  throw new Error(
    `the answer counts ${answer.totals.orders} purchases, the raw orders hold ${expected.totals.orders} (or other buyers or sums)`,
  );
}
