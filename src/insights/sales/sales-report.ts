import { AcademyError } from '../../shared/errors.ts';
import { groupBy, mostFrequent } from '../../shared/group-by.ts';
import { averageOf, compareSums, currencyOf } from '../money.ts';
import { type Day, dayAt, firstOfMonth, loadCalendar, midnight, monday, type Period } from '../period.ts';
import { aloneTotal, type BundleContents, bundleContents, isAlone, unclearBundles } from './bundle-contents.ts';
import { countBuyers, countedOrders, countsOf, totalsOf } from './find-buyers.ts';
import { isGrantedOrder, type ListedProduct, type SoldOrder } from './sold-order.ts';

export const calendarUnits = ['day', 'week', 'month'] as const;
type CalendarUnit = (typeof calendarUnits)[number];

type Span = Period & { from: number };

/** About ten years of days. More would cost time and would not be read. */
const maxBuckets = 4_000;

const starts: Record<CalendarUnit, (day: Day) => Day> = { day: (day) => day, week: monday, month: firstOfMonth };
const steps = { day: { days: 1 }, week: { days: 7 }, month: { months: 1 } } as const;
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** `2026-11-09`, `2026-W46` or `2026-11`. */
function keyOf(unit: CalendarUnit, day: Day): string {
  if (unit === 'day') return day.toString();
  if (unit === 'month') return day.toString().slice(0, 7);
  return `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`;
}

/** The first and the last day of a span. Throws `invalid_input` if it has more than `maxBuckets` units. */
async function daysOf({ from, to, timezone }: Span, unit: CalendarUnit) {
  const calendar = await loadCalendar();
  const [first, last] = [dayAt(from, timezone, calendar), dayAt(to - 1, timezone, calendar)];
  const between = starts[unit](first).until(starts[unit](last), { largestUnit: unit });
  const count = between[`${unit}s`] + 1;
  if (count <= maxBuckets) return { first, last };
  throw new AcademyError(
    'invalid_input',
    `the period has ${count} ${unit}s; group_by ${unit} takes at most ${maxBuckets}`,
    { hint: 'Use a shorter period or a longer unit for group_by.' },
  );
}

/**
 * The days, weeks or months of a period, even without orders, the first and last cut at its bounds; not a day that the zone
 * skipped. Throws `invalid_input` if there are too many.
 */
export async function bucketsOf(span: Span, unit: CalendarUnit) {
  const { from, to, timezone } = span;
  const days = await daysOf(span, unit);
  const buckets: { key: string; label: string; from: number; to: number; isPartial: boolean }[] = [];
  let first = starts[unit](days.first);
  for (let begin = from; begin < to; ) {
    const next = first.add(steps[unit]);
    const end = Math.min(to, midnight(next, timezone));
    const firstDay = buckets.length === 0 ? days.first : first;
    const lastDay = () => (end === to ? days.last : next.subtract({ days: 1 }));
    const label = unit === 'day' ? (weekdays[first.dayOfWeek - 1] ?? '') : `${firstDay} to ${lastDay()}`;
    const isPartial = begin > midnight(first, timezone) || end < midnight(next, timezone);
    if (end > begin) buckets.push({ key: keyOf(unit, first), label, from: begin, to: end, isPartial });
    first = next;
    begin = end;
  }
  return buckets;
}

export const groupings = ['product', ...calendarUnits, 'country'] as const;
export type Grouping = (typeof groupings)[number];

/** The average amount of an order, without those of amount 0, and the number of buyers if there are several currencies. */
function byCurrency(orders: readonly SoldOrder[]) {
  const paid = orders.filter((order) => !isGrantedOrder(order));
  const average = averageOf(paid);
  const currencies = Object.keys(average);
  if (currencies.length <= 1) return { average, buyers: undefined };
  const inCurrency = (currency: string) => paid.filter((order) => currencyOf(order) === currency);
  const counts = currencies.map((currency) => [currency, countBuyers(inCurrency(currency))] as const);
  return { average, buyers: Object.fromEntries(counts) };
}

export const sortKeys = ['orders', 'buyers', 'revenue', 'key'] as const;
type SortKey = (typeof sortKeys)[number];

export interface SalesQuestion {
  readonly group_by: Grouping;
  readonly period: Period;
  /** `course 7`: count only orders that list it. */
  readonly product?: string | undefined;
  /** Count only orders that list one of these products, and group only by these. */
  readonly isOfType?: ((ref: string) => boolean) | undefined;
  readonly include_granted: boolean;
  /** By default, products and countries by orders, and times by time. */
  readonly sort?: SortKey | undefined;
  /** The products to check: `unsold` lists those without orders. */
  readonly listed?: readonly Pick<ListedProduct, 'ref' | 'title'>[] | undefined;
}

interface Group {
  readonly key: string;
  readonly label?: string | undefined;
  readonly orders: SoldOrder[];
  readonly isPartial?: boolean;
}

/** Revoking removes products from an order and keeps the order. */
const listsNothing = { key: 'none', label: 'orders that list no product' };
const noCountry = { key: 'unknown', label: 'orders without a billing country' };

function byKey(orders: readonly SoldOrder[], keysOf: (order: SoldOrder) => Omit<Group, 'orders'>[]): Group[] {
  const keyed = orders.flatMap((order) => keysOf(order).map((own) => ({ order, ...own })));
  const groups = [...groupBy(keyed, ({ key }) => key)].map(([key, own]) => {
    return { key, label: own[0]?.label, orders: own.map(({ order }) => order) };
  });
  return groups.sort((one, other) => other.orders.length - one.orders.length || (one.key < other.key ? -1 : 1));
}

function byProduct(isOfType: (ref: string) => boolean) {
  return ({ products }: SoldOrder) =>
    products.length === 0
      ? [listsNothing]
      : products.filter(({ ref }) => isOfType(ref)).map(({ ref, title }) => ({ key: ref, label: title }));
}

/** One group for each unit from the start of the period, or from the first order. Orders without a time form a group. */
async function byTime(orders: readonly SoldOrder[], period: Period, unit: CalendarUnit): Promise<Group[]> {
  const dated = orders.flatMap((order) => (order.at === undefined ? [] : [{ order, at: order.at }]));
  const from = period.from ?? dated.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
  const buckets = from < period.to ? await bucketsOf({ ...period, from }, unit) : [];
  const groups = buckets.map((bucket) => ({ ...bucket, orders: [] as SoldOrder[] }));
  const sorted = dated.sort((one, other) => one.at - other.at);
  let index = 0;
  for (const group of groups) {
    for (let next = sorted[index]; next !== undefined && next.at < group.to; next = sorted[index]) {
      group.orders.push(next.order);
      index += 1;
    }
  }
  const others = [
    { key: 'after_now', orders: sorted.slice(index).map(({ order }) => order) },
    { key: 'undated', orders: orders.filter(({ at }) => at === undefined) },
  ];
  return [...groups, ...others.filter(({ orders: some }) => some.length > 0)];
}

/** Throws `invalid_input` before any request if the period has too many groups and a known start. */
export async function refuseManyGroups(group_by: Grouping, { from, ...period }: Period): Promise<void> {
  const unit = calendarUnits.find((name) => name === group_by);
  if (unit !== undefined && from !== undefined) await daysOf({ ...period, from }, unit);
}

function groupsOf(orders: readonly SoldOrder[], question: SalesQuestion): Promise<Group[]> | Group[] {
  const { group_by, period, isOfType = () => true } = question;
  if (group_by === 'product') return byKey(orders, byProduct(isOfType));
  return group_by === 'country'
    ? byKey(orders, ({ country }) => [country === undefined ? noCountry : { key: country }])
    : byTime(orders, period, group_by);
}

function describe({ key, label, orders, isPartial = false }: Group, refs: readonly string[], contents: BundleContents) {
  return {
    key,
    label: label === key ? undefined : label,
    ...countsOf(orders),
    alone: refs.length === 0 ? undefined : aloneTotal(orders, refs, contents),
    byCurrency: byCurrency(orders),
    isPartial,
  };
}

export type SalesGroup = ReturnType<typeof describe>;
type Compare = (one: SalesGroup, other: SalesGroup) => number;

function compareBy(sort: SortKey, currency: string): Compare {
  const compare: Record<SortKey, Compare> = {
    orders: (one, other) => other.orders - one.orders,
    buyers: (one, other) => other.paying - one.paying,
    revenue: (one, other) => compareSums(currency, one.revenue, other.revenue),
    key: () => 0,
  };
  return (one, other) => compare[sort](one, other) || (one.key < other.key ? -1 : 1);
}

function refsAsked({ products }: SoldOrder, { product, isOfType }: SalesQuestion): string[] {
  const refs = products.map(({ ref }) => ref);
  if (product !== undefined) return refs.filter((ref) => ref === product);
  return isOfType === undefined ? refs : refs.filter(isOfType);
}

/** Totals and groups of sales. `orders` are all orders of the period and statuses. */
export async function salesOf(orders: readonly SoldOrder[], question: SalesQuestion) {
  const { product, isOfType, include_granted, group_by, sort } = question;
  const contents = bundleContents(orders);
  const isAny = product === undefined && isOfType === undefined;
  const wanted = orders.filter((order) => isAny || refsAsked(order, question).length > 0);
  const kept = countedOrders(wanted, include_granted);
  // If the question names a product, all orders have it: groups by product need no sum of it alone, which the totals have.
  const refsOf = ({ key }: Group) => {
    if (product !== undefined) return group_by === 'product' ? [] : [product];
    return group_by === 'product' ? [key] : [];
  };
  const found = await groupsOf(kept, question);
  const groups = found.map((group) => describe(group, refsOf(group), contents));
  const currency = mostFrequent(kept.flatMap((order) => currencyOf(order) ?? [])) ?? '';
  const sorted = sort === undefined ? groups : groups.sort(compareBy(sort, currency));
  const isOwn = ({ key }: SalesGroup) => group_by === 'product' && key === product;
  const sold = new Set(kept.flatMap(({ products }) => products.map(({ ref }) => ref)));
  return {
    totals: totalsOf(kept, wanted, include_granted, sharedOrders(kept, question, contents)),
    alone: product === undefined ? undefined : aloneTotal(kept, [product], contents),
    unclear: unclearBundles(kept, product === undefined ? found.map(({ key }) => key) : [product], contents),
    byCurrency: byCurrency(kept),
    /** Of most orders; sums of others do not count for `sort`. */
    currency,
    groups: [...sorted.filter(isOwn), ...sorted.filter((group) => !isOwn(group))],
    unsold: (question.listed ?? []).filter(({ ref }) => !sold.has(ref)),
    productless: kept.filter(({ products, unread }) => products.length === 0 && unread.length === 0).length,
  };
}

export type Sales = Awaited<ReturnType<typeof salesOf>>;

/** Orders that other products share. In other groupings an order with several products counts once, so none is shared. */
function sharedOrders(kept: readonly SoldOrder[], question: SalesQuestion, contents: BundleContents): number {
  if (question.product === undefined && question.group_by !== 'product') return 0;
  const isShared = (order: SoldOrder) => {
    const refs = refsAsked(order, question);
    // What a bundle contains is no other product, if only bundles are asked for.
    return refs.length > 1 || !isAlone(order, refs, contents);
  };
  return kept.filter(isShared).length;
}
