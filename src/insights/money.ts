import { type Decimal, parseDecimal } from '../contract/schemas/decimal.ts';
import { asValue } from '../shared/quote-text.ts';

/** An amount as the API sends it, such as "49.00" or "0". */
export interface Money {
  readonly amount: string | undefined;
  readonly currency: string | undefined;
}

/** Sums by currency: `{"USD": "123.45"}`. Amounts of different currencies are never added. */
export type Revenue = Record<string, string>;

export function isAmount(amount: string | undefined): boolean {
  return parseDecimal(amount) !== undefined;
}

/** Decimal places of each currency: 2 for USD, 0 for JPY. */
const placesKnown = new Map<string, number | undefined>();

function placesOf(currency: string | undefined): number | undefined {
  const code = currency?.trim().toUpperCase() ?? '';
  if (!/^[A-Z]{3}$/.test(code)) return undefined;
  if (!placesKnown.has(code)) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: code });
    placesKnown.set(code, format.resolvedOptions().maximumFractionDigits);
  }
  return placesKnown.get(code);
}

/**
 * Whether an amount has the decimal places of its currency: "19.990" CLP may be 19,990, and "4900" USD may be cents. Zero fits
 * in any form, and so does an amount whose currency is unknown.
 */
export function fitsCurrency(amount: string | undefined, currency: string | undefined): boolean {
  const value = parseDecimal(amount);
  if (value === undefined || value.units === 0n) return true;
  const places = placesOf(currency);
  return places === undefined || value.places === places;
}

export function sumOf(one: Decimal, other: Decimal): Decimal {
  if (one.places === other.places) return { units: one.units + other.units, places: one.places };
  const places = Math.max(one.places, other.places);
  const scaled = ({ units, places: own }: Decimal) => units * 10n ** BigInt(places - own);
  return { units: scaled(one) + scaled(other), places };
}

export function writeDecimal({ units, places }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = places > 0 ? `.${digits.slice(-places)}` : '';
  return `${units < 0n ? '-' : ''}${whole}${fraction}`;
}

const zero: Decimal = { units: 0n, places: 0 };

const noCurrency = 'unknown';
const keyOf = (currency: string | undefined) => currency?.trim().toUpperCase() || noCurrency;

export function currencyOf({ amount, currency }: Money): string | undefined {
  return isAmount(amount) ? keyOf(currency) : undefined;
}

/** Sums by currency, in alphabetical order. Skips amounts that are not decimal numbers. */
function sumsOf(amounts: Iterable<Money>): [currency: string, sum: { total: Decimal; count: number }][] {
  const sums = new Map<string, { total: Decimal; count: number }>();
  for (const { amount, currency } of amounts) {
    const value = parseDecimal(amount);
    if (value === undefined) continue;
    const key = keyOf(currency);
    const sum = sums.get(key) ?? { total: zero, count: 0 };
    // Changed in place: a long list would leave garbage for each amount.
    sum.total = sumOf(sum.total, value);
    sum.count += 1;
    sums.set(key, sum);
  }
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Exact sums, with as many decimal places as the amounts have. */
export function revenueOf(amounts: Iterable<Money>): Revenue {
  return Object.fromEntries(sumsOf(amounts).map(([currency, { total }]) => [currency, writeDecimal(total)]));
}

/** Rounded half up to the decimal places of the amounts, at least two. */
export function averageOf(amounts: Iterable<Money>): Revenue {
  const averages = sumsOf(amounts).map(([currency, { total, count }]) => {
    const { units, places } = sumOf(total, { units: 0n, places: 2 });
    const [parts, double] = [BigInt(count), BigInt(2 * count)];
    return [currency, writeDecimal({ units: (2n * units + parts) / double, places })];
  });
  return Object.fromEntries(averages);
}

/** Sorts sums of one currency, the largest first. A missing sum is 0. */
export function compareSums(currency: string, one: Revenue, other: Revenue): number {
  const unitsOf = (revenue: Revenue) => sumOf(parseDecimal(revenue[currency]) ?? zero, zero);
  const [first, second] = [unitsOf(one), unitsOf(other)];
  const difference = sumOf(second, { units: -first.units, places: first.places }).units;
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

/** "49.90 USD, 12.00 EUR", or "no revenue". */
export function revenueText(revenue: Revenue): string {
  const sums = Object.entries(revenue).map(([currency, sum]) => `${sum} ${asValue(currency)}`);
  return sums.length === 0 ? 'no revenue' : sums.join(', ');
}
