/** A decimal number as whole units of its last place. */
export interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

/** The time that whole numbers take grows with the square of their digits. */
const maxAmount = 100;

const shape = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?$/;

/** Reads an amount such as "49.00", "+0" or " .50 "; undefined for what is no decimal number. */
export function decimalOf(amount: string | undefined): Decimal | undefined {
  if (amount === undefined || amount.length > maxAmount) return undefined;
  const [, sign = '', whole, fraction = ''] = shape.exec(amount.trim()) ?? [];
  if (whole === undefined) return undefined;
  return { units: BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`), places: fraction.length };
}
