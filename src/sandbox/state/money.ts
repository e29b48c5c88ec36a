/** Prices, and amounts of granted orders, are in this one. */
export const accountCurrency = 'USD';

/** "49" and "49.9" as "49.00" and "49.90". Takes what the contract's price field lets through. */
export function normalPrice(price: string): string {
  const [whole = '0', fraction = ''] = price.split('.');
  return `${whole.replace(/^0+(?=\d)/, '')}.${fraction.padEnd(2, '0')}`;
}

/** Whole cents as a decimal string: 4900 is "49.00". */
export function decimal(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** True for a decimal string above zero: an amount that somebody paid. */
export function isPositive(amount: string): boolean {
  return /[1-9]/.test(amount);
}
