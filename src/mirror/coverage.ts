import type { MirrorCoverage, TableCoverage } from '../mcp/data-mirror.ts';
import type { Cell } from './engine/messages.ts';
import { tables } from './schema/tables.ts';
import type { Read } from './store.ts';

/** The tables whose rows are counted. */
const counted = tables.filter(({ view, name }) => view === undefined && name !== 'sync').map(({ name }) => name);
const countRows = `SELECT ${counted.map((name) => `(SELECT count(*) FROM ${name})`).join(', ')}`;

/** Tables whose completeness is that of another one. */
const sameAs: Readonly<Record<string, string>> = { order_items: 'orders', sales: 'orders', holdings: 'orders' };

const facts = ['complete_from', 'total', 'new_up_to', 'changes_as_of', 'compared_at', 'problem'];

function coverageOf(table: string, rows: number, [, complete, ...values]: readonly Cell[]): TableCoverage {
  const known = facts.map((name, index) => [name, values[index]] as const).filter(([, value]) => value != null);
  return { table, rows, complete: complete === 1, ...Object.fromEntries(known) };
}

/** What the mirror holds: counts, and for each table whether it is complete and how fresh. All reads are of one state. */
export async function readCoverage(read: Read, timezone: string, isFiller: boolean): Promise<MirrorCoverage> {
  const [[counts = []], sync, kinds] = await Promise.all([
    read(countRows),
    read(`SELECT name, complete, ${facts.join(', ')} FROM sync`),
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
