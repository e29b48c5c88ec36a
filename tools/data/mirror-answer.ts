import { freshnessFacts, freshnessText } from '../../src/insights/freshness.ts';
import type { DataMirror, MirrorCell, MirrorCoverage, MirrorRows, TableCoverage } from '../../src/mcp/data-mirror.ts';
import { academyTextKey, alteredKey, byMembersKey, untrustedKey } from '../../src/mcp/output/fence-free-text.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { writtenIn } from '../../src/mirror/rows/tables.ts';
import { cleanText, cutAt, oneLine } from '../../src/shared/clean-text.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { type Json, setField } from '../../src/shared/json.ts';
import { compact } from '../../src/shared/quote-text.ts';

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

/** The coverage of the tables that a statement has read; of all without a statement. `sync` is no copy of anything. */
export function coverageFacts({ tables, unreadable }: MirrorCoverage, reads: readonly string[] = []) {
  const names = new Set(reads.map((column) => column.split('.')[0] ?? ''));
  const about = tables.filter(({ table }) => names.size === 0 || names.has(table));
  const oldest = (time: 'new_up_to' | 'changes_as_of' | 'compared_at') =>
    about.flatMap((one) => one[time] ?? []).sort()[0];
  const [newUpTo, changesAsOf, compared_at] = [oldest('new_up_to'), oldest('changes_as_of'), oldest('compared_at')];
  const amounts = about.map((table): [string, string] => [table.table, amountText(table)]);
  const problems = [...new Set(about.flatMap(({ problem }) => problem ?? []))];
  const isUnreadable = unreadable > 0 && about.some(({ table }) => table === 'orders');
  return {
    complete: about.every(({ complete }) => complete),
    ...(newUpTo && changesAsOf && freshnessFacts({ newUpTo: new Date(newUpTo), changesAsOf: new Date(changesAsOf) })),
    tables: about.length === 0 ? { sync: 'as it is now' } : Object.fromEntries(amounts),
    /** The oldest comparison of these tables with the API. */
    compared_at,
    /** Orders with values that could not be read. */
    unreadable: isUnreadable ? unreadable : undefined,
    problems: problems.length > 0 ? problems : undefined,
  };
}

/** "Orders complete from 2026-05-01; students 3400 of 12000; as of …; compared …": always the first words of an answer. */
export function coverageLine(facts: ReturnType<typeof coverageFacts>): string {
  const { tables, as_of, new_up_to = as_of, compared_at, unreadable, problems = [] } = facts;
  const times = new_up_to === undefined ? tables.sync === undefined && 'nothing read yet' : freshnessText(facts);
  const all = compact([
    ...Object.entries(tables).map(([table, text]) => `${table} ${text}`),
    unreadable !== undefined && `${unreadable} orders with unreadable values`,
    times,
    compared_at && `compared ${compared_at}`,
    ...problems,
  ]).join('; ');
  return `${all.charAt(0).toUpperCase()}${all.slice(1)}.`;
}

// Whose text a result holds is decided by the columns that its statement reads, never by how a text looks: a post may be one word.
// Which column of the result holds it cannot be known, since a statement may join, cut and rename: so all its texts count.

/** Longest text that is shown in a line, as in other tools. */
const maxLine = 200;
/** Longest fenced text of one value. */
const maxBlock = 2_000;
const maxName = 60;

/** The keys that mean something in an answer. */
const reserved = new Set([untrustedKey, academyTextKey, byMembersKey, alteredKey]);

/** The names of the columns as an answer shows them: a statement may give them any text. No two are the same. */
export function shownNames(columns: readonly string[]): string[] {
  const names: string[] = [];
  const isFree = (name: string) => !names.includes(name) && !reserved.has(name);
  for (const [index, column] of columns.entries()) {
    const name = oneLine(column, maxName) || `column_${index + 1}`;
    let shown = name;
    for (let number = index + 1; !isFree(shown); number += 1) shown = `${name}_${number}`;
    names.push(shown);
  }
  return names;
}

function blockOf(text: string): string {
  const clean = cleanText(text).trim();
  return clean.length > maxBlock ? `${cutAt(clean, maxBlock)}…` : clean;
}

/** A row as a map. NULL is left out; text that members wrote at length, and text that is no line, is under `untrusted`. */
function rowOf(names: readonly string[], cells: readonly MirrorCell[], hasText: boolean): Json {
  const row: Json = {};
  const untrusted: Json = {};
  for (const [index, name] of names.entries()) {
    const cell = cells[index];
    if (cell === null || cell === undefined) continue;
    if (typeof cell === 'number') setField(row, name, cell);
    else if (hasText || cell.length > maxLine || /[\n\r]/.test(cell)) setField(untrusted, name, blockOf(cell));
    else setField(row, name, oneLine(cell, maxLine));
  }
  return Object.keys(untrusted).length > 0 ? { ...row, [untrustedKey]: untrusted } : row;
}

const kindsOf = ({ reads }: Pick<MirrorRows, 'reads'>) => new Set(reads.map(writtenIn));

export function presentRows(result: Pick<MirrorRows, 'columns' | 'rows' | 'reads'>): Json[] {
  const names = shownNames(result.columns);
  const hasText = kindsOf(result).has('text');
  return result.rows.map((cells) => rowOf(names, cells, hasText));
}

/** The columns with text, if the statement reads a column that members write. Without all rows, any column may hold text. */
export function byMembersIn(result: Pick<MirrorRows, 'columns' | 'reads'>, rows?: MirrorRows['rows']): string[] {
  const kinds = kindsOf(result);
  if (!kinds.has('line') && !kinds.has('text')) return [];
  const hasText = (column: number) => rows?.some((cells) => typeof cells[column] === 'string') ?? true;
  return shownNames(result.columns).filter((_, column) => hasText(column));
}

export const exampleQueries = [
  {
    question: 'revenue by month and currency',
    sql: "SELECT month, currency, decimal_sum(amount) AS revenue, count(*) AS orders FROM orders WHERE status IN ('paid', 'wallet_executed') AND amount_e4 > 0 GROUP BY month, currency ORDER BY month",
  },
  {
    question: 'who holds course 1 and not course 2',
    sql: "SELECT email, since FROM holdings WHERE kind = 'course' AND product_id = 1 AND email_key NOT IN (SELECT email_key FROM holdings WHERE kind = 'course' AND product_id = 2 AND email_key IS NOT NULL)",
  },
  {
    question: 'repeat buyers by month of the first purchase',
    sql: 'SELECT cohort, count(*) AS buyers, sum(orders > 1) AS again FROM (SELECT email_key, min(month) AS cohort, count(DISTINCT order_id) AS orders FROM sales GROUP BY email_key) GROUP BY cohort',
  },
  {
    question: 'who paid in the last 90 days and has completed nothing',
    sql: "SELECT DISTINCT s.email, s.name FROM students s JOIN sales USING (email_key) WHERE sales.day >= date('now', '-90 days') AND s.completion_percent = 0",
  },
  {
    question: 'lessons of each course',
    sql: 'SELECT c.title, count(l.id) AS lessons FROM courses c LEFT JOIN lessons l ON l.course_id = c.id GROUP BY c.id ORDER BY lessons DESC',
  },
];
