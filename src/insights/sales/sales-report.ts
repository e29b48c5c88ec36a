import { type Revenue, revenueOf } from '../money.ts';
import type { Period } from '../period.ts';
import { countBuyers, countGranted, splitGranted, type Totals, totalsOf } from './buyers.ts';
import { holds, type SoldOrder } from './sold-order.ts';
import { bucketsOf, type CalendarUnit, calendarUnits, refuseManyBuckets } from './time-buckets.ts';

export const groupings = ['product', ...calendarUnits, 'country'] as const;
export type Grouping = (typeof groupings)[number];

export interface SalesGroup {
  readonly key: string;
  readonly label?: string | undefined;
  readonly orders: number;
  /** Number of the orders with amount 0. */
  readonly granted: number;
  readonly buyers: number;
  readonly revenue: Revenue;
}

export interface SalesQuestion {
  readonly group_by: Grouping;
  readonly period: Period;
  /** `course 7`: count only orders that list it. */
  readonly product?: string | undefined;
  readonly include_granted: boolean;
}

interface Group {
  readonly key: string;
  readonly label?: string | undefined;
  readonly orders: SoldOrder[];
}

/** Revoking removes products from an order and keeps the order. */
const listsNothing = { key: 'none', label: 'orders that list no product' };
const noCountry = { key: 'unknown', label: 'orders without a billing country' };

function byKey(orders: readonly SoldOrder[], keysOf: (order: SoldOrder) => Omit<Group, 'orders'>[]): Group[] {
  const groups = new Map<string, Group>();
  for (const order of orders) {
    for (const { key, label } of keysOf(order)) {
      const group = groups.get(key) ?? { key, label, orders: [] };
      group.orders.push(order);
      groups.set(key, group);
    }
  }
  return [...groups.values()].sort(
    (one, other) => other.orders.length - one.orders.length || (one.key < other.key ? -1 : 1),
  );
}

function byProduct({ products }: SoldOrder) {
  return products.length === 0 ? [listsNothing] : products.map(({ ref, title }) => ({ key: ref, label: title }));
}

function byCountry({ country }: SoldOrder) {
  return [country === undefined ? noCountry : { key: country }];
}

/** One group for each unit from the start of the period, or from the first order. Orders without a time form a group. */
async function byTime(orders: readonly SoldOrder[], period: Period, unit: CalendarUnit): Promise<Group[]> {
  const dated = orders.flatMap((order) => (order.at === undefined ? [] : [{ order, at: order.at }]));
  const from = period.from ?? dated.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
  const buckets = from < period.to ? await bucketsOf({ ...period, from }, unit) : [];
  const groups = buckets.map(({ key, label, to }) => ({ key, label, to, orders: [] as SoldOrder[] }));
  const sorted = dated.sort((one, other) => one.at - other.at);
  let index = 0;
  for (const group of groups) {
    for (let next = sorted[index]; next !== undefined && next.at < group.to; next = sorted[index]) {
      group.orders.push(next.order);
      index += 1;
    }
  }
  const undated = orders.filter(({ at }) => at === undefined);
  return [...groups, ...(undated.length > 0 ? [{ key: 'undated', orders: undated }] : [])];
}

/** Throws `invalid_input` before any request if the period has too many groups and a known start. */
export async function refuseManyGroups(group_by: Grouping, { from, ...period }: Period): Promise<void> {
  const unit = calendarUnits.find((name) => name === group_by);
  if (unit !== undefined && from !== undefined) await refuseManyBuckets({ ...period, from }, unit);
}

function groupsOf(orders: readonly SoldOrder[], { group_by, period }: SalesQuestion): Promise<Group[]> | Group[] {
  if (group_by === 'product') return byKey(orders, byProduct);
  return group_by === 'country' ? byKey(orders, byCountry) : byTime(orders, period, group_by);
}

function describe({ key, label, orders }: Group): SalesGroup {
  return {
    key,
    ...(label === undefined || label === key ? {} : { label }),
    orders: orders.length,
    granted: countGranted(orders),
    buyers: countBuyers(orders),
    revenue: revenueOf(orders),
  };
}

/** Totals and groups of sales. `orders` are all orders of the period and statuses. */
export async function salesOf(
  orders: readonly SoldOrder[],
  question: SalesQuestion,
): Promise<{ totals: Totals; groups: SalesGroup[] }> {
  const { product, include_granted } = question;
  const wanted = product === undefined ? orders : orders.filter((order) => holds(order, product));
  const { kept, excluded } = splitGranted(wanted, include_granted);
  const totals = totalsOf(kept, excluded);
  const groups = await groupsOf(kept, question);
  // In other groupings an order with several products counts once, so none is shared.
  const isShared = question.group_by === 'product' || product !== undefined;
  const shared = isShared ? totals.shared_orders : 0;
  return { totals: { ...totals, shared_orders: shared }, groups: groups.map(describe) };
}
