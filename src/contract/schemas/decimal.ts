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
