import * as z from 'zod';

/** Every percentage of a response is registered here: the client parses it, since the API may send a fraction or "54%". */
export const percentFields = z.registry<{ readonly unit: 'percent' }>();

/** A number from 0 to 100, as the API document shows it. */
export function percent(description: string): z.ZodNumber {
  return z.number().describe(description).register(percentFields, { unit: 'percent' });
}

/**
 * Parses 54, 54.6, "54" and "54%". Undefined for anything else: a number between 0 and 1 may be a fraction, and one above
 * 100 or below 0 is no percentage.
 */
export function parsePercent(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^\s*\d{1,3}(\.\d{1,15})?\s*%?\s*$/.test(value);
  const number = isText ? Number(value.replace('%', '')) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  // Turns -0 into 0.
  return number === 0 ? 0 : number >= 1 && number <= 100 ? number : undefined;
}

/** A decimal number as a whole number of units of its last decimal place. */
export interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

/** Parsing a whole number takes time that grows with the square of its digits. */
const maxLength = 100;

/** Most orders have one of a few amounts: an answer over many orders parses each of these once. */
const maxKnown = 5_000;
const known = new Map<string, Decimal>();

const shape = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?$/;

function parse(amount: string): Decimal | undefined {
  const [, sign = '', whole, fraction = ''] = shape.exec(amount.trim()) ?? [];
  if (whole === undefined) return undefined;
  return { units: BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`), places: fraction.length };
}

/** Parses an amount such as "49.00", "+0" or " .50 ". Undefined if it is not a decimal number. */
export function parseDecimal(amount: string | undefined): Decimal | undefined {
  if (amount === undefined || amount.length > maxLength) return undefined;
  const found = known.get(amount);
  if (found !== undefined) return found;
  const value = parse(amount);
  if (known.size >= maxKnown) known.clear();
  if (value !== undefined) known.set(amount, value);
  return value;
}
