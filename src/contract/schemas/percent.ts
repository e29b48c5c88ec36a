import * as z from 'zod';

/** Every percentage of every answer has its entry here: an answer is read by it, since a fraction or "54%" may stand there. */
export const percentFields = z.registry<{ readonly unit: 'percent' }>();

/** A number from 0 to 100, as the API document shows one. */
export function percent(description: string): z.ZodNumber {
  return z.number().describe(description).register(percentFields, { unit: 'percent' });
}

/**
 * A percentage as the API may write it: 54, 54.6, "54", "54%". Undefined for everything else: what lies between 0 and 1 may be
 * a share of 1, and what is above 100 or below 0 is none that we know.
 */
export function readPercent(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^\s*\d{1,3}(\.\d{1,15})?\s*%?\s*$/.test(value);
  const number = isText ? Number(value.replace('%', '')) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  // Without the minus of -0.
  return number === 0 ? 0 : number >= 1 && number <= 100 ? number : undefined;
}
