import { type FreshnessFacts, freshnessFacts, freshnessText } from '../../src/insights/freshness.ts';
import type { DataMirror, MirrorCoverage, TableCoverage } from '../../src/mcp/data-mirror.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { AcademyError } from '../../src/shared/errors.ts';

/** The mirror of a call. These tools are listed only if there is one. */
export function mirrorOf({ mirror }: Pick<ToolContext, 'mirror'>): DataMirror {
  if (mirror !== undefined) return mirror;
  throw new AcademyError('invalid_settings', 'the mirror is off', { hint: 'Set ACADEMY_MIRROR to memory or a file.' });
}

function amountText({ rows, complete, complete_from, total }: TableCoverage): string {
  if (complete) return `complete (${rows})`;
  if (complete_from !== undefined) return `complete from ${complete_from.slice(0, 10)}`;
  return total === undefined ? `${rows} so far` : `${rows} of ${total}`;
}

export interface CoverageFacts extends FreshnessFacts {
  readonly complete: boolean;
  /** The oldest comparison of these tables with the API. */
  readonly compared_at?: string;
  readonly tables: Readonly<Record<string, string>>;
  /** Orders with values that could not be read. */
  readonly unreadable?: number;
  readonly problems?: readonly string[];
}

/** The coverage of the tables that a statement has read; of all without a statement. `sync` is no copy of anything. */
export function coverageFacts({ tables, unreadable }: MirrorCoverage, reads: readonly string[] = []): CoverageFacts {
  const names = new Set(reads.map((column) => column.split('.')[0] ?? ''));
  const about = tables.filter(({ table }) => names.size === 0 || names.has(table));
  if (about.length === 0) return { complete: true, tables: { sync: 'as it is now' } };
  const oldest = (time: 'new_up_to' | 'changes_as_of' | 'compared_at') =>
    about.flatMap((one) => one[time] ?? []).sort()[0];
  const [newUpTo, changesAsOf, compared_at] = [oldest('new_up_to'), oldest('changes_as_of'), oldest('compared_at')];
  const problems = [...new Set(about.flatMap(({ problem }) => problem ?? []))];
  const isUnreadable = unreadable > 0 && about.some(({ table }) => table === 'orders');
  return {
    complete: about.every(({ complete }) => complete),
    ...(newUpTo && changesAsOf
      ? freshnessFacts({ newUpTo: new Date(newUpTo), changesAsOf: new Date(changesAsOf) })
      : {}),
    tables: Object.fromEntries(about.map((table) => [table.table, amountText(table)])),
    ...(compared_at ? { compared_at } : {}),
    ...(isUnreadable ? { unreadable } : {}),
    ...(problems.length > 0 ? { problems } : {}),
  };
}

/**
 * "Orders complete from 2026-05-01; students 3400 of 12000; as of …; compared …": always the first words of an answer. The times
 * are "as of …", or "new orders up to …, changes as of …".
 */
export function coverageLine(facts: CoverageFacts): string {
  const { tables, as_of, new_up_to = as_of, compared_at, unreadable, problems = [] } = facts;
  const parts = Object.entries(tables).map(([table, text]) => `${table} ${text}`);
  if (unreadable !== undefined) parts.push(`${unreadable} orders with unreadable values`);
  if (new_up_to !== undefined) parts.push(freshnessText(facts));
  else if (tables.sync === undefined) parts.push('nothing read yet');
  if (compared_at !== undefined) parts.push(`compared ${compared_at}`);
  const all = [...parts, ...problems].join('; ');
  return `${all.charAt(0).toUpperCase()}${all.slice(1)}.`;
}
