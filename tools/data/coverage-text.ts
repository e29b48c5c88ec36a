import {
  type Freshness,
  type FreshnessFacts,
  freshnessFacts,
  freshnessText,
  olderFreshness,
} from '../../src/insights/freshness.ts';
import type { DataMirror, MirrorCoverage, TableCoverage } from '../../src/mcp/data-mirror.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { AcademyError } from '../../src/shared/errors.ts';

/** The mirror of a call. These tools are listed only if there is one. */
export function mirrorOf({ mirror }: Pick<ToolContext, 'mirror'>): DataMirror {
  if (mirror !== undefined) return mirror;
  throw new AcademyError('invalid_settings', 'the mirror is off', { hint: 'Set ACADEMY_MIRROR to memory or a file.' });
}

const dayOf = (time: string) => time.slice(0, 10);

function amountText({ rows, complete, complete_from, total }: TableCoverage): string {
  if (complete) return `complete (${rows})`;
  if (complete_from !== undefined) return `complete from ${dayOf(complete_from)}`;
  return total === undefined ? `${rows} so far` : `${rows} of ${total}`;
}

/** What the times of a table are about. The tables of products and courses say how they are titled and built up. */
const kinds: Readonly<Record<string, string>> = {
  orders: 'orders',
  order_items: 'orders',
  students: 'students',
  posts: 'posts',
  completions: 'completions',
};
const kindOf = (table: string) => kinds[table] ?? 'titles';

/** The times of tables, by what they are about: the older one of several tables. */
function timesByKind(tables: readonly TableCoverage[]): Map<string, FreshnessFacts> {
  const times = new Map<string, Freshness>();
  for (const { table, new_up_to, changes_as_of = new_up_to } of tables) {
    if (new_up_to === undefined || changes_as_of === undefined) continue;
    const own = { newUpTo: new Date(new_up_to), changesAsOf: new Date(changes_as_of) };
    times.set(kindOf(table), olderFreshness(own, times.get(kindOf(table)) ?? own));
  }
  return new Map([...times].map(([kind, one]) => [kind, freshnessFacts(one)]));
}

export interface CoverageFacts extends FreshnessFacts {
  readonly complete: boolean;
  /** The times of each kind of record, if there are several. */
  readonly times?: Readonly<Record<string, FreshnessFacts>>;
  /** The oldest comparison of these tables with the API. */
  readonly compared_at?: string;
  readonly tables: Readonly<Record<string, string>>;
  readonly unreadable?: Readonly<Record<string, number>>;
  readonly problems?: readonly string[];
}

/** The coverage of the tables that a statement has read; of all without a statement. `sync` is no copy of anything. */
export function coverageFacts({ tables, unreadable }: MirrorCoverage, reads: readonly string[] = []): CoverageFacts {
  const names = new Set(reads.map((column) => column.split('.')[0] ?? ''));
  const about = tables.filter(({ table }) => names.size === 0 || names.has(table));
  if (about.length === 0) return { complete: true, tables: { sync: 'as it is now' } };
  const times = timesByKind(about);
  const isOne = new Set(about.map(({ table }) => kindOf(table))).size === 1;
  const compared = about.flatMap(({ compared_at }) => compared_at ?? []).sort();
  const problems = about.flatMap(({ problem }) => problem ?? []);
  const hasOrders = about.some(({ table }) => table === 'orders');
  return {
    complete: about.every(({ complete }) => complete),
    ...(isOne ? [...times.values()][0] : { times: Object.fromEntries(times) }),
    ...(compared[0] === undefined ? {} : { compared_at: compared[0] }),
    tables: Object.fromEntries(about.map((table) => [table.table, amountText(table)])),
    ...(hasOrders && Object.keys(unreadable).length > 0 ? { unreadable } : {}),
    ...(problems.length > 0 ? { problems: [...new Set(problems)] } : {}),
  };
}

/** "as of …", or "new orders up to …, changes as of …", of each kind of record, and when they were last compared with the API. */
function timesTexts({ times, tables, compared_at, as_of, new_up_to, changes_as_of }: CoverageFacts): string[] {
  const [table = ''] = Object.keys(tables);
  if (table === 'sync') return [];
  const known =
    as_of === undefined && new_up_to === undefined ? {} : { [kindOf(table)]: { as_of, new_up_to, changes_as_of } };
  const texts = Object.entries(times ?? known).map(([kind, own]) => {
    return `${times !== undefined && own.as_of !== undefined ? `${kind} ` : ''}${freshnessText(own, kind)}`;
  });
  if (texts.length === 0) return ['nothing read yet'];
  return compared_at === undefined ? texts : [...texts, `compared ${compared_at}`];
}

/** "Orders complete from 2026-05-01; students 3400 of 12000; as of …": always the first words of an answer. */
export function coverageLine(facts: CoverageFacts): string {
  const { tables, unreadable = {}, problems = [] } = facts;
  const parts = Object.entries(tables).map(([table, text]) => `${table} ${text}`);
  const unread = Object.entries(unreadable).map(([kind, count]) => `${count} orders with unreadable ${kind}`);
  const all = [...parts, ...unread, ...timesTexts(facts), ...problems].join('; ');
  return `${all.charAt(0).toUpperCase()}${all.slice(1)}.`;
}
