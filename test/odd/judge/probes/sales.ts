import type { ToolAnswer } from '../../../reliability/tool-answer.ts';
import { type Kind, must } from '../../academy/state.ts';
import { dayOf, groupedBy, refsOf, type SalesQuestion, salesIn, sumsOf } from '../../truth/sales.ts';
import { setFindings, sumsDifference, sumsExcess } from '../compare.ts';
import type { Harness, Probe } from '../probe.ts';
import { type Findings, type Judged, judgeRead, record, rowsIn } from '../verdict.ts';

const day = 86_400_000;
type Args = Record<string, unknown>;
type Sold = Parameters<typeof sumsOf>[0];

/** The counts and sums of a buyer: without `orders` it is one order, and an amount that is a text is in the currency of the answer. */
function withSums({ amount, ...row }: Args, currency: unknown): Args {
  if (amount === undefined) return row;
  return { orders: 1, ...row, revenue: typeof amount === 'string' ? { [String(currency)]: amount } : amount };
}

/** Continues as long as the answer has a cursor; drops the rows of an incomplete answer. */
async function whole({ call }: Harness, tool: string, list: string, args: Args) {
  const rows: Record<string, unknown>[] = [];
  let answer: ToolAnswer = await call(tool, { ...args, max_requests: 200 });
  for (let part = 1; ; part += 1) {
    const { coverage, next_cursor, currency, [list]: shown } = answer.data ?? {};
    if (record(coverage).complete === false) rows.length = 0;
    rows.push(...rowsIn(shown).map((row) => withSums(row, currency)));
    if (next_cursor === undefined || answer.code !== 'ok' || part === 6) return { answer, rows };
    answer = await call(tool, { ...args, max_requests: 200, cursor: next_cursor });
  }
}

/** The period that the answer names, which must be the requested one; it ends now by the academy's clock. */
function boundsOf({ academy }: Harness, answer: ToolAnswer, days: number | undefined): SalesQuestion {
  if (days === undefined) return {};
  const from = Date.parse(String(record(answer.data?.period).from));
  const expected = Math.floor(academy.now() / day) * day - (days - 1) * day;
  return { from: Math.abs(from - expected) <= 2 * day ? from : expected };
}

interface Question {
  readonly product?: { readonly kind: Kind; readonly id: number };
  readonly granted?: boolean;
  /** The last days. */
  readonly days?: number;
  readonly bounds?: { readonly from: number; readonly to: number };
  readonly args: Args;
}

function first(...found: (string | undefined)[]): string | undefined {
  return found.find((one) => one !== undefined);
}

function truthOf(harness: Harness, answer: ToolAnswer, { product, granted = false, days, bounds }: Question) {
  const range = bounds ?? boundsOf(harness, answer, days);
  return salesIn(harness.academy.state, { ...range, granted, ...(product === undefined ? {} : { product }) });
}

/** A group for everything that fits no other group. */
const apart = /^(undated|none|unknown|unreadable)/;

function groupFindings(what: string, rows: Args[], key: string, truth: Map<string, Sold>): Findings {
  const keyOf = (row: Args) => String(row[key]).toLowerCase();
  const named = rows.filter((row) => !apart.test(keyOf(row)));
  const truths = [...truth.keys()];
  const each = (compare: typeof sumsDifference) =>
    named.map((row) => {
      const sums = truth.get(keyOf(row));
      const difference = sums === undefined ? undefined : compare(row, sumsOf(sums));
      return difference === undefined ? undefined : `${row[key]}: ${difference}`;
    });
  const { difference } = setFindings(what, rows.map(keyOf), truths);
  const { falsehood } = setFindings(what, named.map(keyOf), truths);
  return {
    difference: first(difference, ...each(sumsDifference)),
    falsehood: first(falsehood, ...each(sumsExcess)),
  };
}

function withTotals(
  { difference, falsehood }: Findings,
  totals: unknown,
  truth: Parameters<typeof sumsOf>[0],
): Findings {
  const sums = sumsOf(truth);
  return {
    difference: first(sumsDifference(totals, sums), difference),
    falsehood: first(sumsExcess(totals, sums), falsehood),
  };
}

async function judgeBuyers(harness: Harness, question: Question): Promise<Judged> {
  const { answer, rows } = await whole(harness, 'find_buyers', 'buyers', { limit: 500, ...question.args });
  const truth = truthOf(harness, answer, question);
  const byEmail = groupedBy(truth, ({ email }) => [email.toLowerCase()]);
  const { data = {} } = answer;
  const id = record(data.product).id;
  const other =
    question.product !== undefined && id !== question.product.id
      ? `of product ${id}, asked for ${question.product.id}`
      : undefined;
  const found = withTotals(groupFindings('buyers', rows, 'email', byEmail), data.totals, truth);
  return judgeRead(
    answer,
    { difference: first(other, found.difference), falsehood: first(other, found.falsehood) },
    harness.terms,
  );
}

type Grouping = 'product' | 'day' | 'country';
const keysOf = {
  product: refsOf,
  day: (order: Parameters<typeof dayOf>[0]) => [dayOf(order)],
  country: ({ country }: { country: string }) => [country.toLowerCase()],
};

async function judgeReport(harness: Harness, group_by: Grouping, question: Question): Promise<Judged> {
  const { answer, rows } = await whole(harness, 'sales_report', 'groups', { group_by, ...question.args });
  const truth = truthOf(harness, answer, question);
  // Days without sales may be included.
  const filled = rows.filter(({ orders }) => orders !== 0);
  const found = groupFindings('groups', filled, 'key', groupedBy(truth, keysOf[group_by]));
  return judgeRead(answer, withTotals(found, answer.data?.totals, truth), harness.terms);
}

function buyers(
  name: string,
  kind: Kind,
  id: number,
  more: Omit<Question, 'product' | 'args'> & { args?: Args } = {},
): Probe {
  const args = { product: String(id), product_type: kind, ...more.args };
  return { name, judge: (harness) => judgeBuyers(harness, { ...more, product: { kind, id }, args }) };
}

/** Two distant orders, whose exact times are the bounds. */
function edges({ academy }: Harness): Question {
  const times = academy.state.orders.map(({ at }) => at).sort((one, other) => other - one);
  const [to, from] = [must(times[12], 'order'), must(times[55], 'order')];
  const args = { created_after: new Date(from).toISOString(), created_before: new Date(to).toISOString() };
  return { bounds: { from, to }, args };
}

/** Bare dates. */
function dates({ academy }: Harness): Question {
  const today = Math.floor(academy.now() / day) * day;
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  const [from, to] = [today - 7 * day, today - day];
  return { bounds: { from, to }, args: { created_after: date(from), created_before: date(to) } };
}

export const salesProbes: readonly Probe[] = [
  buyers('find_buyers', 'course', 11),
  buyers('find_buyers/bundle', 'bundle', 33),
  buyers('find_buyers/digital_product', 'digital_product', 51),
  buyers('find_buyers/granted', 'course', 11, { granted: true, args: { include_granted: true } }),
  buyers('find_buyers/week', 'course', 11, { days: 7, args: { period: 'last_7_days' } }),
  {
    name: 'find_buyers/title',
    judge: (harness) => judgeBuyers(harness, { product: { kind: 'course', id: 12 }, args: { product: 'Sourdough' } }),
  },
  { name: 'sales_report', judge: (harness) => judgeReport(harness, 'product', { args: {} }) },
  {
    name: 'sales_report/days',
    judge: (harness) => judgeReport(harness, 'day', { days: 30, args: { period: 'last_30_days' } }),
  },
  { name: 'sales_report/country', judge: (harness) => judgeReport(harness, 'country', { args: {} }) },
  { name: 'sales_report/edges', judge: (harness) => judgeReport(harness, 'country', edges(harness)) },
  { name: 'sales_report/dates', judge: (harness) => judgeReport(harness, 'day', dates(harness)) },
];
