import type { ToolAnswer } from '../../../reliability/tool-answer.ts';
import { type Kind, must } from '../../academy/state.ts';
import { dayOf, groupedBy, refsOf, type SalesQuestion, salesIn, sumsOf } from '../../truth/sales.ts';
import { setFindings, sumsDifference, sumsExcess } from '../compare.ts';
import type { Probe, Rig } from '../probe.ts';
import { type Findings, type Judged, judgeRead, record, rowsIn } from '../verdict.ts';

const day = 86_400_000;
type Args = Record<string, unknown>;
type Sold = Parameters<typeof sumsOf>[0];

/** Reads on as long as the answer has a cursor; rows begin again while it is incomplete. */
async function whole({ call }: Rig, tool: string, list: string, args: Args) {
  const rows: Record<string, unknown>[] = [];
  let answer: ToolAnswer = await call(tool, { ...args, max_requests: 200 });
  for (let part = 1; ; part += 1) {
    const { coverage, next_cursor, [list]: shown } = answer.data ?? {};
    if (record(coverage).complete === false) rows.length = 0;
    rows.push(...rowsIn(shown));
    if (next_cursor === undefined || answer.code !== 'ok' || part === 6) return { answer, rows };
    answer = await call(tool, { ...args, max_requests: 200, cursor: next_cursor });
  }
}

/** From what the answer says of its bounds, which must be those that were asked for; up to the academy's own now. */
function boundsOf({ academy }: Rig, answer: ToolAnswer, days: number | undefined): SalesQuestion {
  if (days === undefined) return {};
  const from = Date.parse(String(record(answer.data?.period).from));
  const expected = Math.floor(academy.now() / day) * day - (days - 1) * day;
  return { from: Math.abs(from - expected) <= 2 * day ? from : expected };
}

interface Asked {
  readonly product?: { readonly kind: Kind; readonly id: number };
  readonly granted?: boolean;
  /** The last so many days. */
  readonly days?: number;
  readonly bounds?: { readonly from: number; readonly to: number };
  readonly args: Args;
}

function first(...found: (string | undefined)[]): string | undefined {
  return found.find((one) => one !== undefined);
}

function truthOf(rig: Rig, answer: ToolAnswer, { product, granted = false, days, bounds }: Asked) {
  const range = bounds ?? boundsOf(rig, answer, days);
  return salesIn(rig.academy.state, { ...range, granted, ...(product === undefined ? {} : { product }) });
}

/** A group of what could not be put into any other. */
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

async function judgeBuyers(rig: Rig, asked: Asked): Promise<Judged> {
  const { answer, rows } = await whole(rig, 'find_buyers', 'buyers', { limit: 500, ...asked.args });
  const truth = truthOf(rig, answer, asked);
  const byEmail = groupedBy(truth, ({ email }) => [email.toLowerCase()]);
  const { data = {} } = answer;
  const id = record(data.product).id;
  const other =
    asked.product !== undefined && id !== asked.product.id
      ? `of product ${id}, asked for ${asked.product.id}`
      : undefined;
  const found = withTotals(groupFindings('buyers', rows, 'email', byEmail), data.totals, truth);
  return judgeRead(
    answer,
    { difference: first(other, found.difference), falsehood: first(other, found.falsehood) },
    rig.terms,
  );
}

type Grouping = 'product' | 'day' | 'country';
const keysOf = {
  product: refsOf,
  day: (order: Parameters<typeof dayOf>[0]) => [dayOf(order)],
  country: ({ country }: { country: string }) => [country.toLowerCase()],
};

async function judgeReport(rig: Rig, group_by: Grouping, asked: Asked): Promise<Judged> {
  const { answer, rows } = await whole(rig, 'sales_report', 'groups', { group_by, ...asked.args });
  const truth = truthOf(rig, answer, asked);
  // Days without sales may be there.
  const filled = rows.filter(({ orders }) => orders !== 0);
  const found = groupFindings('groups', filled, 'key', groupedBy(truth, keysOf[group_by]));
  return judgeRead(answer, withTotals(found, answer.data?.totals, truth), rig.terms);
}

function buyers(
  name: string,
  kind: Kind,
  id: number,
  more: Omit<Asked, 'product' | 'args'> & { args?: Args } = {},
): Probe {
  const args = { product: String(id), product_type: kind, ...more.args };
  return { name, judge: (rig) => judgeBuyers(rig, { ...more, product: { kind, id }, args }) };
}

/** Two orders a way apart; their very times are the bounds. */
function edges({ academy }: Rig): Asked {
  const times = academy.state.orders.map(({ at }) => at).sort((one, other) => other - one);
  const [to, from] = [must(times[12], 'order'), must(times[55], 'order')];
  const args = { created_after: new Date(from).toISOString(), created_before: new Date(to).toISOString() };
  return { bounds: { from, to }, args };
}

/** Bare dates. */
function dates({ academy }: Rig): Asked {
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
    judge: (rig) => judgeBuyers(rig, { product: { kind: 'course', id: 12 }, args: { product: 'Sourdough' } }),
  },
  { name: 'sales_report', judge: (rig) => judgeReport(rig, 'product', { args: {} }) },
  {
    name: 'sales_report/days',
    judge: (rig) => judgeReport(rig, 'day', { days: 30, args: { period: 'last_30_days' } }),
  },
  { name: 'sales_report/country', judge: (rig) => judgeReport(rig, 'country', { args: {} }) },
  { name: 'sales_report/edges', judge: (rig) => judgeReport(rig, 'country', edges(rig)) },
  { name: 'sales_report/dates', judge: (rig) => judgeReport(rig, 'day', dates(rig)) },
];
