/** The currency of prices and of granted orders. */
export const accountCurrency = 'USD';

/** Adds missing decimals: "49" is "49.00", "49.9" is "49.90". Takes any price that the contract accepts. */
export function normalPrice(price: string): string {
  const [whole = '0', fraction = ''] = price.split('.');
  return `${whole.replace(/^0+(?=\d)/, '')}.${fraction.padEnd(2, '0')}`;
}

/** Whole cents as a decimal string: 4900 is "49.00". */
export function decimal(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** True for a decimal string above zero: a paid amount. */
export function isPositive(amount: string): boolean {
  return /[1-9]/.test(amount);
}
