import { accountCurrency } from '../state/money.ts';
import { homeOf } from './billing.ts';

/** Invented, fixed exchange rates for one dollar. */
const rates: Readonly<Record<string, { code: string; rate: number }>> = {
  'United Kingdom': { code: 'GBP', rate: 0.8 },
  Brazil: { code: 'BRL', rate: 5.2 },
  Germany: { code: 'EUR', rate: 0.95 },
  France: { code: 'EUR', rate: 0.95 },
};

const dollar = { code: accountCurrency, rate: 1 };

export type PriceList = (studentId: number, cents: number) => { currency: string; amount: number };

/** Converts cents of a dollar to the currency of a student, in hundredths. Most pay in dollars, wherever they live. */
export function createPriceList(key: string): PriceList {
  const known = new Map<number, { code: string; rate: number }>();
  return (studentId, cents) => {
    const currency = known.get(studentId) ?? currencyOf(key, studentId);
    known.set(studentId, currency);
    if (currency === dollar) return { currency: currency.code, amount: cents };
    return { currency: currency.code, amount: Math.max(90, Math.round((cents * currency.rate) / 100) * 100 - 10) };
  };
}

function currencyOf(key: string, studentId: number) {
  const { country, random } = homeOf(key, studentId);
  const local = rates[country.name];
  return local !== undefined && random.chance(0.4) ? local : dollar;
}
