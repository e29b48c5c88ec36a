import { type Decimal, parseDecimal } from '../../contract/schemas/decimal.ts';
import { sumOf, writeDecimal } from '../../insights/money.ts';
import type { Database, Sqlite } from './sqlite.ts';

/** Amounts with up to four decimal places are added as whole numbers of this part of a unit. */
const places = 4;
/** Below this, numbers of that part are exact, and adding them is ten times as fast as a bigint. */
const maxExact = 2 ** 52;

/** A number of 1/10,000 for a plain amount such as "49.90"; undefined for any other text. */
function smallUnits(amount: string): number | undefined {
  const dot = amount.indexOf('.');
  const digits = dot < 0 ? amount : amount.slice(0, dot) + amount.slice(dot + 1);
  const fraction = dot < 0 ? 0 : amount.length - dot - 1;
  if (digits.length > 11 || fraction > places || digits === '' || !/^\d+$/.test(digits)) return undefined;
  return Number(digits) * 10 ** (places - fraction);
}

/** An exact sum of amounts as text, with as many decimal places as the amounts have. */
export interface DecimalSum {
  add(amount: string): void;
  /** Null if no amount was added. */
  result(): string | null;
}

/** The same sum with this many decimal places: those that it loses are zeros. */
function withPlaces({ units, places: own }: Decimal, count: number): Decimal {
  if (own <= count) return sumOf({ units, places: own }, { units: 0n, places: count });
  return { units: units / 10n ** BigInt(own - count), places: count };
}

export function createDecimalSum(): DecimalSum {
  let total: Decimal | undefined;
  /** What the fast way has added since: a whole number of 1/10,000. */
  let recent = 0;
  let mostPlaces = 0;

  function flush(): void {
    if (recent !== 0) total = sumOf(total ?? { units: 0n, places: 0 }, { units: BigInt(recent), places });
    recent = 0;
  }

  return {
    add: (amount) => {
      const small = smallUnits(amount);
      if (small !== undefined) {
        const dot = amount.indexOf('.');
        mostPlaces = Math.max(mostPlaces, dot < 0 ? 0 : amount.length - dot - 1);
        total ??= { units: 0n, places: 0 };
        recent += small;
        if (recent > maxExact) flush();
        return;
      }
      const value = parseDecimal(amount);
      if (value === undefined) return;
      mostPlaces = Math.max(mostPlaces, value.places);
      total = sumOf(total ?? { units: 0n, places: 0 }, value);
    },
    result: () => {
      flush();
      return total === undefined ? null : writeDecimal(withPlaces(total, mostPlaces));
    },
  };
}

/** Adds `decimal_sum(amount)` to the database: SQLite's own sum of decimal text is a rounded floating point number. */
export function addDecimalSum(sqlite: Sqlite, database: Database): void {
  const sums = new Map<unknown, DecimalSum>();
  database.createFunction({
    name: 'decimal_sum',
    arity: 1,
    deterministic: true,
    innocuous: true,
    xStep: (context: number, value: unknown) => {
      const key = sqlite.capi.sqlite3_js_aggregate_context(context, 1);
      let sum = sums.get(key);
      if (sum === undefined) {
        sum = createDecimalSum();
        sums.set(key, sum);
      }
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') sum.add(String(value));
    },
    xFinal: (context: number) => {
      const key = sqlite.capi.sqlite3_js_aggregate_context(context, 0);
      const result = sums.get(key)?.result() ?? null;
      sums.delete(key);
      return result;
    },
  });
}
