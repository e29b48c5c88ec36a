/** An amount of the API, such as "49.00" or "0". */
export interface Money {
  readonly amount: string;
  readonly currency: string;
}

/** Hundredths as a whole number. Throws for what is no decimal number with at most two places: a sum must not guess. */
export function cents(amount: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(amount) ?? [];
  if (whole === '') throw new Error(`the amount "${amount}" is not a decimal number with two places`);
  return BigInt(`${sign}${whole}${fraction.padEnd(2, '0')}`);
}

export function decimal(hundredths: bigint): string {
  const digits = (hundredths < 0n ? -hundredths : hundredths).toString().padStart(3, '0');
  return `${hundredths < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Sums per currency, in the order in which the currencies first appear. */
export function totals(amounts: readonly Money[]): Money[] {
  const sums = new Map<string, bigint>();
  for (const { amount, currency } of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + cents(amount));
  return [...sums].map(([currency, sum]) => ({ amount: decimal(sum), currency }));
}
