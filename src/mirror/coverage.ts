import type { MirrorCoverage, TableCoverage } from '../mcp/data-mirror.ts';
import type { Cell } from './engine/messages.ts';
import { countedTables, hasRowCounts, keepRowCounts, selectRowCounts } from './schema/row-counts.ts';
import type { Store } from './store.ts';

/** Tables whose completeness is that of another one. */
const sameAs: Readonly<Record<string, string>> = { order_items: 'orders', sales: 'orders', holdings: 'orders' };

type Row = readonly Cell[];

/**
 * A stored problem with its code and our words, without those of the API in brackets: they may repeat what somebody wrote, and are
 * shown later, to others.
 */
const withoutQuotes = (problem: string) => problem.replace(/ \("[^]*"\)/, '');

function coverageOf(table: string, rows: number, [, complete, from, total, asOf, problem]: Row): TableCoverage {
  return {
    table,
    rows,
    complete: complete === 1,
    ...(typeof from === 'string' ? { complete_from: from } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof asOf === 'string' ? { as_of: asOf } : {}),
    ...(typeof problem === 'string' ? { problem: withoutQuotes(problem) } : {}),
  };
}

/** Counts the rows, if they have changed since they were counted. */
export async function keepCounts(store: Store): Promise<void> {
  const [[isCounted] = []] = await store.read(hasRowCounts);
  if (store.isFiller() && isCounted !== 1) await store.write([keepRowCounts]);
}

/** What the mirror holds: counts, and for each table whether it is complete and how fresh. */
export async function readCoverage(store: Store, timezone: string): Promise<MirrorCoverage> {
  const [[[counted] = []], sync, kinds] = await Promise.all([
    store.read(selectRowCounts),
    store.read('SELECT name, complete, complete_from, total, as_of, problem FROM sync'),
    store.read('SELECT unreadable, count(*) FROM orders WHERE unreadable IS NOT NULL GROUP BY 1'),
  ]);
  // The statement makes it.
  const counts = JSON.parse(String(counted)) as number[];
  const byName = new Map(sync.map((row) => [row[0], row]));
  const unreadable = new Map<string, number>();
  for (const [names, count] of kinds) {
    for (const name of String(names).split(', ')) unreadable.set(name, (unreadable.get(name) ?? 0) + Number(count));
  }
  return {
    tables: countedTables.map(({ name }, index) => {
      return coverageOf(name, counts[index] ?? 0, byName.get(sameAs[name] ?? name) ?? []);
    }),
    unreadable: Object.fromEntries(unreadable),
    timezone,
    isFiller: store.isFiller(),
  };
}
