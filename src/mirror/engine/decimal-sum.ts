import { parseDecimal } from '../../contract/schemas/decimal.ts';
import { writeDecimal } from '../../insights/money.ts';
import type { Database, Sqlite } from './sqlite.ts';

/** Amounts with up to four decimal places are added as whole numbers of this part of a unit. */
const places = 4;
/** Below this, numbers of that part are exact, and adding them is ten times as fast as a bigint. */
const maxExact = 2 ** 52;

const tenTo = (exponent: number) => 10n ** BigInt(exponent);

/** An exact sum of amounts as text, with as many decimal places as the amounts have. */
function createDecimalSum() {
  /** In parts of 1/10^`scale`. */
  let units = 0n;
  let scale = places;
  /** What the fast way has added since: a whole number of 1/10,000. */
  let recent = 0;
  let mostPlaces = 0;
  let isEmpty = true;

  function flush(): void {
    units += BigInt(recent) * tenTo(scale - places);
    recent = 0;
  }

  function addExactly(amount: string): void {
    const value = parseDecimal(amount);
    if (value === undefined) return;
    if (value.places > scale) {
      units *= tenTo(value.places - scale);
      scale = value.places;
    }
    units += value.units * tenTo(scale - value.places);
    mostPlaces = Math.max(mostPlaces, value.places);
    isEmpty = false;
  }

  return {
    add: (amount: string) => {
      const dot = amount.indexOf('.');
      const digits = dot < 0 ? amount : amount.slice(0, dot) + amount.slice(dot + 1);
      const own = dot < 0 ? 0 : amount.length - dot - 1;
      if (digits.length > 11 || own > places || !/^\d+$/.test(digits)) return addExactly(amount);
      mostPlaces = Math.max(mostPlaces, own);
      isEmpty = false;
      recent += Number(digits) * 10 ** (places - own);
      if (recent > maxExact) flush();
    },
    /** Null if no amount was added. */
    result: () => {
      flush();
      // The places that it loses are zeros.
      return isEmpty ? null : writeDecimal({ units: units / tenTo(scale - mostPlaces), places: mostPlaces });
    },
  };
}

/** Adds `decimal_sum(amount)` to the database: SQLite's own sum of decimal text is a rounded floating point number. */
export function addDecimalSum(sqlite: Sqlite, database: Database): void {
  const sums = new Map<unknown, ReturnType<typeof createDecimalSum>>();
  database.createFunction({
    name: 'decimal_sum',
    arity: 1,
    deterministic: true,
    innocuous: true,
    xStep: (context: number, value: unknown) => {
      const key = sqlite.capi.sqlite3_js_aggregate_context(context, 1);
      const sum = sums.get(key) ?? createDecimalSum();
      sums.set(key, sum);
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
