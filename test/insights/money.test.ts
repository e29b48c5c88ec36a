import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isGranted } from '../../src/contract/orders.ts';
import { isAmount, revenueOf, revenueText } from '../../src/insights/money.ts';

const usd = (...amounts: string[]) => revenueOf(amounts.map((amount) => ({ amount, currency: 'USD' })));

test('sums are exact, with as many places as the amounts have', () => {
  expect(usd(...Array.from({ length: 10 }, () => '0.1'))).toEqual({ USD: '1.0' });
  expect(usd('49', '49.9', '0.05')).toEqual({ USD: '98.95' });
  expect(usd('1200', '300')).toEqual({ USD: '1500' });
  expect(usd('0.125', '1')).toEqual({ USD: '1.125' });
  expect(usd('-5.00', '3')).toEqual({ USD: '-2.00' });
  expect(usd('9007199254740993.01', '0.01')).toEqual({ USD: '9007199254740993.02' });
});

test('currencies are never added up, however they are written', () => {
  const sums = revenueOf([
    { amount: '5', currency: 'usd' },
    { amount: '1', currency: 'EUR' },
    { amount: '2', currency: ' USD ' },
    { amount: '3', currency: undefined },
  ]);
  expect(sums).toEqual({ EUR: '1', USD: '7', unknown: '3' });
  expect(revenueText(sums)).toBe('1 EUR, 7 USD, 3 unknown');
  expect(revenueText({})).toBe('no revenue');
});

test('a text that is no decimal number, or longer than 100 characters, is in no sum', () => {
  for (const amount of ['', '.', '1,50', '1e3', 'NaN', '$5', '0x10', '1'.repeat(101), undefined]) {
    expect(isAmount(amount), amount).toBe(false);
    expect(revenueOf([{ amount, currency: 'USD' }])).toEqual({});
  }
});

test('the sum of whole cents is that of their integers', () => {
  const cents = fc.array(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), { minLength: 1 });
  const written = (value: bigint) => {
    const digits = (value < 0n ? -value : value).toString().padStart(3, '0');
    return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
  };
  fc.assert(
    fc.property(cents, (values) => {
      const sum = values.reduce((total, value) => total + value, 0n);
      expect(usd(...values.map(written))).toEqual({ USD: written(sum) });
    }),
  );
});

test('an amount is a grant exactly where its sum is zero, in any spelling', () => {
  const spelling = fc.tuple(
    fc.constantFrom('', ' ', '\t'),
    fc.constantFrom('', '+', '-'),
    fc.constantFrom('', '0', '00', '7'),
    fc.constantFrom('', '.', '.0', '.00', '.05'),
    fc.constantFrom('', ' '),
  );
  fc.assert(
    fc.property(spelling, (parts) => {
      const amount = parts.join('');
      const isNumber = /\d/.test(amount);
      expect(isAmount(amount)).toBe(isNumber);
      expect(isGranted(amount)).toBe(isNumber && Number(amount) === 0);
      if (isNumber) expect(Number(usd(amount).USD)).toBeCloseTo(Number(amount), 9);
    }),
  );
});
