import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cents, decimal, totals } from '../../../src/cli/demo/money.ts';

test('amounts are read to the cent, however they are written', () => {
  const written = { '0': 0n, '0.00': 0n, '49': 4900n, '49.9': 4990n, '49.90': 4990n, '-1.05': -105n };
  for (const [amount, hundredths] of Object.entries(written)) expect(cents(amount), amount).toBe(hundredths);
});

test('what is no amount is refused, not guessed', () => {
  for (const amount of ['', '.', '1,50', '1.505', '1e3', 'NaN', ' 1', '$5']) {
    expect(() => cents(amount), amount).toThrow('is not a decimal number');
  }
});

test('any number of cents survives being written and read', () => {
  fc.assert(fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (sum) => cents(decimal(sum)) === sum));
});

test('currencies are summed apart, and exactly', () => {
  const dimes = Array.from({ length: 10 }, () => ({ amount: '0.10', currency: 'USD' }));
  expect(totals([...dimes, { amount: '5', currency: 'EUR' }])).toEqual([
    { amount: '1.00', currency: 'USD' },
    { amount: '5.00', currency: 'EUR' },
  ]);
});
