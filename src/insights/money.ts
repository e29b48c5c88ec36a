import { type Decimal, parseDecimal } from '../contract/schemas/decimal.ts';
import { asValue } from '../shared/quote-text.ts';

/** An amount as the API sends it, such as "49.00" or "0". */
export interface Money {
  readonly amount: string | undefined;
  readonly currency: string | undefined;
}

/** Sums by currency: `{"USD": "123.45"}`. Amounts of different currencies are never added. */
export type Revenue = Record<string, string>;

/** Whether the amount is a decimal number and can be summed. */
export function isAmount(amount: string | undefined): boolean {
  return parseDecimal(amount) !== undefined;
}

export function sumOf(one: Decimal, other: Decimal): Decimal {
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

/** The key of amounts without a currency. */
const noCurrency = 'unknown';

/** Exact sums, with as many decimal places as the amounts have. Skips amounts that are not decimal numbers. */
export function revenueOf(amounts: Iterable<Money>): Revenue {
  const sums = new Map<string, Decimal>();
  for (const { amount, currency } of amounts) {
    const value = parseDecimal(amount);
    if (value === undefined) continue;
    const key = currency?.trim().toUpperCase() || noCurrency;
    const before = sums.get(key);
    sums.set(key, before === undefined ? value : sumOf(before, value));
  }
  const sorted = [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([currency, sum]) => [currency, writeDecimal(sum)]));
}

/** "49.90 USD, 12.00 EUR", or "no revenue". */
export function revenueText(revenue: Revenue): string {
  const sums = Object.entries(revenue).map(([currency, sum]) => `${sum} ${asValue(currency)}`);
  return sums.length === 0 ? 'no revenue' : sums.join(', ');
}
