import { type FreshnessFacts, freshnessFacts, freshnessText } from '../../src/insights/freshness.ts';
import type { MirrorCoverage, TableCoverage } from '../../src/mcp/data-mirror.ts';

const dayOf = (time: string) => time.slice(0, 10);

function amountText({ rows, complete, complete_from, total }: TableCoverage): string {
  if (complete) return `complete (${rows})`;
  if (complete_from !== undefined) return `complete from ${dayOf(complete_from)}`;
  return total === undefined ? `${rows} so far` : `${rows} of ${total}`;
}

const nounOf = (table: string | undefined) => (table === 'order_items' ? 'orders' : table);

/** The times of a table; undefined if it was never read. */
function timesOf({ new_up_to, changes_as_of = new_up_to }: TableCoverage): FreshnessFacts | undefined {
  if (new_up_to === undefined || changes_as_of === undefined) return undefined;
  return freshnessFacts({ newUpTo: new Date(new_up_to), changesAsOf: new Date(changes_as_of) });
}

/** "as of …", or "new orders up to …, changes as of …", and when the number was compared with the API. */
function timesText(table: TableCoverage): string {
  const times = timesOf(table);
  if (times === undefined) return 'nothing read yet';
  const compared = table.compared_at === undefined ? '' : `, compared ${table.compared_at}`;
  return `${freshnessText(times, nounOf(table.table))}${compared}`;
}

export interface CoverageFacts extends FreshnessFacts {
  readonly complete: boolean;
  /** The oldest comparison of these tables with the API. */
  readonly compared_at?: string;
  /** What there is of each table. With its times, if they are not those of all. */
  readonly tables: Readonly<Record<string, string>>;
  readonly unreadable?: Readonly<Record<string, number>>;
  readonly problems?: readonly string[];
}

/** The coverage of the tables that a statement has read; of all without a statement. `sync` is no copy of anything. */
export function coverageFacts({ tables, unreadable }: MirrorCoverage, reads: readonly string[] = []): CoverageFacts {
  const names = new Set(reads.map((column) => column.split('.')[0] ?? ''));
  const about = tables.filter(({ table }) => names.size === 0 || names.has(table));
  const [first] = about;
  if (first === undefined) return { complete: true, tables: { sync: 'as it is now' } };
  const isOneTime = timesOf(first) !== undefined && new Set(about.map(timesText)).size === 1;
  const text = (table: TableCoverage) => (isOneTime ? amountText(table) : `${amountText(table)}, ${timesText(table)}`);
  const compared = about.flatMap(({ compared_at }) => compared_at ?? []).sort();
  const problems = about.flatMap(({ problem }) => problem ?? []);
  const hasOrders = about.some(({ table }) => table === 'orders');
  return {
    complete: about.every(({ complete }) => complete),
    ...(isOneTime ? timesOf(first) : {}),
    ...(compared[0] === undefined ? {} : { compared_at: compared[0] }),
    tables: Object.fromEntries(about.map((table) => [table.table, text(table)])),
    ...(hasOrders && Object.keys(unreadable).length > 0 ? { unreadable } : {}),
    ...(problems.length > 0 ? { problems: [...new Set(problems)] } : {}),
  };
}

/** "Orders complete from 2026-05-01; students 3400 of 12000; as of …": always the first words of an answer. */
export function coverageLine({ tables, unreadable = {}, problems = [], compared_at, ...times }: CoverageFacts): string {
  const parts = Object.entries(tables).map(([table, text]) => `${table} ${text}`);
  const unread = Object.entries(unreadable).map(([kind, count]) => `${count} orders with unreadable ${kind}`);
  const isOneTime = (times.as_of ?? times.new_up_to) !== undefined;
  const compared = compared_at === undefined ? '' : `, compared ${compared_at}`;
  const all = [...parts, ...unread, ...(isOneTime ? [`${freshnessText(times, nounOf(Object.keys(tables)[0]))}${compared}`] : []), ...problems].join('; ');
  return `${all.charAt(0).toUpperCase()}${all.slice(1)}.`;
}
