import type { MirrorCoverage, TableCoverage } from '../../src/mcp/data-mirror.ts';

const dayOf = (time: string) => time.slice(0, 10);

function tableText({ table, rows, complete, complete_from, total }: TableCoverage): string {
  if (complete) return `${table} complete (${rows})`;
  if (complete_from !== undefined) return `${table} complete from ${dayOf(complete_from)}`;
  return total === undefined ? `${table} ${rows} so far` : `${table} ${rows} of ${total}`;
}

/** The tables that a statement is about; the stored ones behind a view. */
function isAbout({ table }: TableCoverage, reads: ReadonlySet<string>): boolean {
  return reads.size === 0 || reads.has(table);
}

export interface CoverageFacts {
  readonly complete: boolean;
  readonly as_of?: string;
  readonly tables: Readonly<Record<string, string>>;
  readonly unreadable?: Readonly<Record<string, number>>;
  readonly problems?: readonly string[];
}

const oldest = (times: readonly string[]) => times.toSorted()[0] ?? '';

/** The coverage of the tables that a statement has read; of all without a statement. */
export function coverageFacts({ tables, unreadable }: MirrorCoverage, reads: readonly string[] = []): CoverageFacts {
  const names = new Set(reads.map((column) => column.split('.')[0] ?? ''));
  const about = tables.filter((table) => isAbout(table, names));
  const times = about.flatMap(({ as_of }) => (as_of === undefined ? [] : [as_of]));
  const problems = about.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  const hasOrders = about.some(({ table }) => table === 'orders');
  return {
    complete: about.every(({ complete }) => complete),
    ...(times.length > 0 ? { as_of: oldest(times) } : {}),
    tables: Object.fromEntries(about.map((table) => [table.table, tableText(table).slice(table.table.length + 1)])),
    ...(hasOrders && Object.keys(unreadable).length > 0 ? { unreadable } : {}),
    ...(problems.length > 0 ? { problems: [...new Set(problems)] } : {}),
  };
}

/** "Orders complete from 2026-05-01; students 3400 of 12000; as of …": always the first words of an answer. */
export function coverageLine({ tables, as_of, unreadable = {} }: CoverageFacts): string {
  const parts = Object.entries(tables).map(([table, text]) => `${table} ${text}`);
  const unread = Object.entries(unreadable).map(([kind, count]) => `${count} orders with unreadable ${kind}`);
  const all = [...parts, ...unread, as_of === undefined ? 'nothing read yet' : `as of ${as_of}`].join('; ');
  return `${all.charAt(0).toUpperCase()}${all.slice(1)}.`;
}
