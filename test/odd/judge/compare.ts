import type { Sums } from '../truth/sales.ts';
import { hundredths } from '../truth/sales.ts';
import { record } from './verdict.ts';

// Describes how an answer differs from the truth, and which part of it exceeds the truth.

function revenueIn(value: unknown): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [written, sum] of Object.entries(record(value))) {
    const currency = written.toUpperCase();
    sums[currency] = (sums[currency] ?? 0) + hundredths(String(sum));
  }
  return sums;
}

const sameRevenue = (one: Record<string, number>, other: Record<string, number>) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every(
    (currency) => (one[currency] ?? 0) === (other[currency] ?? 0),
  );

/** The truth counts everybody with an order, and sums whole orders. */
function sumsIn(value: unknown) {
  const { buyers, holders = buyers, orders, revenue, order_total = revenue } = record(value);
  return { buyers: holders, orders, revenue: order_total };
}

export function sumsDifference(value: unknown, truth: Sums): string | undefined {
  const { buyers, orders, revenue } = sumsIn(value);
  if (buyers !== undefined && buyers !== truth.buyers) return `${buyers} buyers, in truth ${truth.buyers}`;
  if (orders !== truth.orders) return `${orders} orders, in truth ${truth.orders}`;
  if (sameRevenue(revenueIn(revenue), truth.revenue)) return undefined;
  return `revenue ${JSON.stringify(revenue)}, in truth ${JSON.stringify(truth.revenue)} hundredths`;
}

/** Partial sums may be less than the truth, never more. */
export function sumsExcess(value: unknown, truth: Sums): string | undefined {
  const { buyers = 0, orders = 0, revenue } = sumsIn(value);
  if (Number(buyers) > truth.buyers) return `${buyers} buyers, in truth ${truth.buyers}`;
  if (Number(orders) > truth.orders) return `${orders} orders, in truth ${truth.orders}`;
  // A sum with an unknown currency claims nothing about a currency.
  const named = Object.entries(revenueIn(revenue)).filter(([currency]) => /^[A-Z]{3}$/.test(currency));
  const more = named.find(([currency, sum]) => sum > (truth.revenue[currency] ?? 0));
  return more === undefined ? undefined : `more revenue in ${more[0]} than in truth`;
}

export interface SetDifference {
  readonly missing: string[];
  readonly extra: string[];
}

export function setDifference(shown: Iterable<string>, truth: Iterable<string>): SetDifference {
  const [one, other] = [new Set(shown), new Set(truth)];
  return { missing: [...other].filter((key) => !one.has(key)), extra: [...one].filter((key) => !other.has(key)) };
}

export function setFindings(what: string, shown: readonly string[], truth: readonly string[]) {
  const { missing, extra } = setDifference(shown, truth);
  const twice = shown.length - new Set(shown).size;
  const parts = [
    ...(missing.length > 0 ? [`${missing.length} of ${truth.length} ${what} missing (${missing[0]})`] : []),
    ...(extra.length > 0 ? [`${extra.length} untrue ${what} (${extra[0]})`] : []),
    ...(twice > 0 ? [`${twice} ${what} twice`] : []),
  ];
  const falsehood = extra.length > 0 ? `${extra.length} untrue ${what} (${extra[0]})` : undefined;
  return { difference: parts.length > 0 ? parts.join(', ') : undefined, falsehood };
}
