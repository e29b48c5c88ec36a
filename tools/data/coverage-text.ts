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

/** The oldest times of these tables. */
function timesOf(tables: readonly TableCoverage[]): FreshnessFacts {
  const times = tables.flatMap(({ new_up_to, changes_as_of = new_up_to }): Freshness[] =>
    new_up_to === undefined || changes_as_of === undefined
      ? []
      : [{ newUpTo: new Date(new_up_to), changesAsOf: new Date(changes_as_of) }],
  );
  return times.length === 0 ? {} : freshnessFacts(times.reduce(olderFreshness));
}

export interface CoverageFacts extends FreshnessFacts {
  readonly complete: boolean;
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
  const compared = about.flatMap(({ compared_at }) => compared_at ?? []).sort();
  const problems = about.flatMap(({ problem }) => problem ?? []);
  const hasOrders = about.some(({ table }) => table === 'orders');
  return {
    complete: about.every(({ complete }) => complete),
    ...timesOf(about),
    ...(compared[0] === undefined ? {} : { compared_at: compared[0] }),
    tables: Object.fromEntries(about.map((table) => [table.table, amountText(table)])),
    ...(hasOrders && Object.keys(unreadable).length > 0 ? { unreadable } : {}),
    ...(problems.length > 0 ? { problems: [...new Set(problems)] } : {}),
  };
}

/** "as of …", or "new orders up to …, changes as of …", and when they were last compared with the API. */
function timesTexts(facts: CoverageFacts): string[] {
  if ('sync' in facts.tables) return [];
  if (facts.as_of === undefined && facts.new_up_to === undefined) return ['nothing read yet'];
  return [freshnessText(facts), ...(facts.compared_at === undefined ? [] : [`compared ${facts.compared_at}`])];
}

/** "Orders complete from 2026-05-01; students 3400 of 12000; as of …": always the first words of an answer. */
export function coverageLine(facts: CoverageFacts): string {
  const { tables, unreadable = {}, problems = [] } = facts;
  const parts = Object.entries(tables).map(([table, text]) => `${table} ${text}`);
  const unread = Object.entries(unreadable).map(([kind, count]) => `${count} orders with unreadable ${kind}`);
  const all = [...parts, ...unread, ...timesTexts(facts), ...problems].join('; ');
  return `${all.charAt(0).toUpperCase()}${all.slice(1)}.`;
}
