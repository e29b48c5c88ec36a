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
