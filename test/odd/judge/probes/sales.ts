import type { ToolAnswer } from '../../../support/connect.ts';
import { persons } from '../../academy/data.ts';
import type { Academy } from '../../academy/rules.ts';
import { type Kind, must, type Order, type State, type Status } from '../../academy/state.ts';
import {
  type Finding,
  type Harness,
  type Judged,
  judgeError,
  judgeRead,
  type Probe,
  record,
  right,
  rowsIn,
  setFindings,
  states,
  sumFindings,
  wrong,
} from '../verdict.ts';

// The time that an answer gives for what it has read: no later than the oldest of its parts, nor much earlier.

// The true sales, independent of what the academy shows.

interface SalesQuestion {
  readonly from?: number;
  readonly to?: number;
  readonly product?: { readonly kind: Kind; readonly id: number };
  readonly granted?: boolean;
  readonly statuses?: readonly Status[];
}

export type Sums = ReturnType<typeof sumsOf>;

export const hundredths = (amount: string): number => Math.round(Number(amount) * 100);

const lists = { course: 'courses', bundle: 'bundles', digital_product: 'digitals' } as const;
const bought: readonly Status[] = ['paid', 'wallet_executed'];

function isListed(order: Order, kind: Kind, id: number): boolean {
  return order[lists[kind]].includes(id);
}

/** Purchases; with `granted`, also access granted by an admin. A negative amount is a refund, not a purchase. */
export function salesIn({ orders }: Pick<State, 'orders'>, question: SalesQuestion): Order[] {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, product, granted = false } = question;
  return orders.filter((order) => {
    const isKept = hundredths(order.amount) > 0 || (granted && hundredths(order.amount) === 0);
    const isIn = order.at >= from && order.at < to && (question.statuses ?? bought).includes(order.status);
    return (
      isKept && isIn && order.undone !== true && (product === undefined || isListed(order, product.kind, product.id))
    );
  });
}

export function sumsOf(orders: readonly Order[]) {
  const revenue: Record<string, number> = {};
  for (const { currency, amount } of orders) {
    if (hundredths(amount) !== 0) revenue[currency] = (revenue[currency] ?? 0) + hundredths(amount);
  }
  return { buyers: new Set(orders.map(({ email }) => email.toLowerCase())).size, orders: orders.length, revenue };
}

function groupedBy(orders: readonly Order[], keysOf: (order: Order) => string[]): Map<string, Order[]> {
  const groups = new Map<string, Order[]>();
  for (const order of orders)
    for (const key of new Set(keysOf(order))) groups.set(key, [...(groups.get(key) ?? []), order]);
  return groups;
}

export const refsOf = ({ courses, bundles, digitals }: Order): string[] => [
  ...courses.map((id) => `course ${id}`),
  ...bundles.map((id) => `bundle ${id}`),
  ...digitals.map((id) => `digital_product ${id}`),
];

export const dayOf = ({ at }: Order): string => new Date(at).toISOString().slice(0, 10);

export function heldBy({ state }: Pick<Academy, 'state'>, student: number): Map<string, 'bought' | 'granted'> {
  // An order of a negative amount is a refund: what it lists is not held by it.
  const isGiving = ({ status, amount }: Order) => bought.includes(status) && hundredths(amount) >= 0;
  const own = state.orders.filter((order) => order.student === student && isGiving(order));
  const held = new Map<string, 'bought' | 'granted'>();
  for (const order of own) {
    const how = hundredths(order.amount) === 0 ? 'granted' : 'bought';
    for (const ref of refsOf(order)) if (held.get(ref) !== 'bought') held.set(ref, how);
  }
  return held;
}

const tolerance = 60_000;

type ArgsOf = (harness: Harness) => Record<string, unknown>;
const product = { product: '11', product_type: 'course' };
const questions: readonly (readonly [tool: string, args: ArgsOf])[] = [
  ['find_buyers', () => product],
  ['sales_report', () => ({ group_by: 'country' })],
  ['unpaid_orders', () => ({ period: 'last_30_days' })],
  ['course_progress', () => ({ course_id: 11, max_requests: 200 })],
  ['student_profile', ({ email }) => ({ email: email(persons.bundleBuyer) })],
  ['diagnose_access', ({ email }) => ({ email: email(persons.buyer), ...product })],
  ['list_students', () => ({ sort: 'name' })],
  ['community_digest', () => ({})],
];

async function judge(harness: Harness, tool: string, args: ArgsOf): Promise<Judged> {
  const begun = harness.academy.now();
  const answer = await harness.call(tool, args(harness));
  if (answer.code !== 'ok') return judgeError(answer, harness.terms);
  const { coverage, as_of: own } = answer.structured ?? {};
  const { as_of = own, changes_as_of = as_of } = record(coverage);
  const at = Date.parse(String(changes_as_of));
  const oldest = Math.max(0, ...harness.academy.log.map(({ ageMs }) => ageMs));
  if (Number.isNaN(at)) return wrong('the answer has no time');
  if (at > harness.academy.now() - oldest + tolerance) return wrong(`as of ${changes_as_of}, read ${oldest} ms older`);
  return at < begun - oldest - tolerance ? wrong(`as of ${changes_as_of}, which is too early`) : right;
}

export const timeProbes: readonly Probe[] = questions.map(([tool, args]) => ({
  name: `${tool}/time`,
  judge: (harness) => judge(harness, tool, args),
}));

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
    const { coverage, next_cursor, currency, defaults, [list]: shown } = answer.structured ?? {};
    if (record(coverage).complete === false) rows.length = 0;
    rows.push(...rowsIn(shown).map((row) => withSums({ ...record(defaults), ...row }, currency)));
    if (next_cursor === undefined || answer.code !== 'ok' || part === 6) return { answer, rows };
    answer = await call(tool, { ...args, max_requests: 200, cursor: next_cursor });
  }
}

/** The period that the answer names, which must be the requested one; it ends now by the academy's clock. */
function boundsOf({ academy }: Harness, answer: ToolAnswer, days: number | undefined): SalesQuestion {
  if (days === undefined) return {};
  const from = Date.parse(String(record(answer.structured?.period).from));
  const expected = Math.floor(academy.now() / day) * day - (days - 1) * day;
  return { from: Math.abs(from - expected) <= 2 * day ? from : expected };
}

interface Question {
  readonly product?: { readonly kind: Kind; readonly id: number };
  readonly granted?: boolean;
  readonly days?: number;
  readonly bounds?: { readonly from: number; readonly to: number };
  readonly args: Args;
}

function truthOf(harness: Harness, answer: ToolAnswer, { product, granted = false, days, bounds }: Question) {
  const range = bounds ?? boundsOf(harness, answer, days);
  return salesIn(harness.academy.state, { ...range, granted, ...(product === undefined ? {} : { product }) });
}

/** A group for everything that fits no other group. */
const apart = /^(undated|none|unknown|unreadable)/;

function groupFindings(what: string, rows: Args[], key: string, truth: Map<string, Sold>): Finding[] {
  const keyOf = (row: Args) => String(row[key]).toLowerCase();
  const isNamed = (name: string) => !apart.test(name);
  const ofEach = rows.flatMap((row) => {
    const sold = truth.get(keyOf(row));
    const found = sold === undefined || !isNamed(keyOf(row)) ? [] : sumFindings(row, sumsOf(sold));
    return found.map((one) => ({ ...one, what: `${row[key]}: ${one.what}` }));
  });
  return [...setFindings(what, rows.map(keyOf), [...truth.keys()], isNamed), ...ofEach];
}

async function judgeBuyers(harness: Harness, question: Question): Promise<Judged> {
  const { answer, rows } = await whole(harness, 'find_buyers', 'buyers', { limit: 500, ...question.args });
  const truth = truthOf(harness, answer, question);
  const byEmail = groupedBy(truth, ({ email }) => [email.toLowerCase()]);
  const { structured: data = {} } = answer;
  const { id } = record(data.product);
  const isOther = question.product !== undefined && id !== question.product.id;
  const found = [
    ...(isOther ? [states(`of product ${id}, asked for ${question.product?.id}`)] : []),
    ...sumFindings(data.totals, sumsOf(truth)),
    ...groupFindings('buyers', rows, 'email', byEmail),
  ];
  return judgeRead(answer, found, harness.terms);
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
  return judgeRead(answer, [...sumFindings(answer.structured?.totals, sumsOf(truth)), ...found], harness.terms);
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
