import type { MirrorCoverage, TableCoverage } from '../mcp/data-mirror.ts';
import type { Cell } from './engine/messages.ts';
import { tables } from './schema/tables.ts';
import type { Read } from './store.ts';

/** The tables whose rows are counted. */
const counted = tables.filter(({ view, name }) => view === undefined && name !== 'sync').map(({ name }) => name);
const countRows = `SELECT ${counted.map((name) => `(SELECT count(*) FROM ${name})`).join(', ')}`;

/** Tables whose completeness is that of another one. */
const sameAs: Readonly<Record<string, string>> = { order_items: 'orders', sales: 'orders', holdings: 'orders' };

type Row = readonly Cell[];

function coverageOf(
  table: string,
  rows: number,
  [, complete, from, total, newUpTo, changesAsOf, comparedAt, problem]: Row,
): TableCoverage {
  return {
    table,
    rows,
    complete: complete === 1,
    ...(typeof from === 'string' ? { complete_from: from } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof newUpTo === 'string' ? { new_up_to: newUpTo } : {}),
    ...(typeof changesAsOf === 'string' ? { changes_as_of: changesAsOf } : {}),
    ...(typeof comparedAt === 'string' ? { compared_at: comparedAt } : {}),
    ...(typeof problem === 'string' ? { problem } : {}),
  };
}

/** What the mirror holds: counts, and for each table whether it is complete and how fresh. All reads are of one state. */
export async function readCoverage(read: Read, timezone: string, isFiller: boolean): Promise<MirrorCoverage> {
  const [[counts = []], sync, kinds] = await Promise.all([
    read(countRows),
    read('SELECT name, complete, complete_from, total, new_up_to, changes_as_of, compared_at, problem FROM sync'),
    read('SELECT unreadable, count(*) FROM orders WHERE unreadable IS NOT NULL GROUP BY 1'),
  ]);
  const byName = new Map(sync.map((row) => [row[0], row]));
  const unreadable = new Map<string, number>();
  for (const [names, count] of kinds) {
    for (const name of String(names).split(', ')) unreadable.set(name, (unreadable.get(name) ?? 0) + Number(count));
  }
  return {
    tables: counted.map((name, index) => {
      return coverageOf(name, Number(counts[index] ?? 0), byName.get(sameAs[name] ?? name) ?? []);
    }),
    unreadable: Object.fromEntries(unreadable),
    timezone,
    isFiller,
  };
}
