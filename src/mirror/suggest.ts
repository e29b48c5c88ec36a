import { distance } from 'fastest-levenshtein';
import { tables } from './schema/tables.ts';

const tableNames = tables.map(({ name }) => name);
const columnNames = [...new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)))];
/** Longer names are not compared: that costs time, and helps nobody. */
const maxName = 60;

function nearest(name: string, names: readonly string[]): readonly string[] {
  const lower = name.toLowerCase();
  const ranked = names.map((known) => {
    const isPart = lower.length >= 3 && (known.includes(lower) || lower.includes(known));
    return { known, rank: isPart ? 1 : distance(lower, known) };
  });
  const near = ranked.filter(({ rank }) => rank <= Math.max(2, lower.length / 3));
  return near
    .sort((one, other) => one.rank - other.rank)
    .slice(0, 3)
    .map(({ known }) => known);
}

/** "id, email" for the columns of a table. */
function columnsOf(table: string): string {
  const found = tables.find(({ name }) => name === table);
  return (found?.columns ?? []).map(({ name }) => name).join(', ');
}

/** Which table or column was probably meant by a statement that SQLite does not understand; undefined without a guess. */
export function suggestFor(message: string, sql: string): string | undefined {
  const [, kind, written = ''] = /no such (column|table): (\S+)/.exec(message) ?? [];
  if (kind === undefined || written.length > maxName) return undefined;
  const name = written.split('.').at(-1) ?? '';
  const found = nearest(name, kind === 'table' ? tableNames : columnNames);
  if (kind === 'table')
    return found.length > 0 ? `Did you mean ${found.join(' or ')}?` : `The tables are ${tableNames.join(', ')}.`;
  const used = tableNames.filter((table) => new RegExp(`\\b${table}\\b`, 'i').test(sql));
  const own = new Set(used.flatMap((table) => columnsOf(table).split(', ')));
  const fitting = used.length === 0 ? found : found.filter((one) => own.has(one));
  if (fitting.length > 0) return `Did you mean ${fitting.join(' or ')}?`;
  const [only] = used;
  return used.length === 1 && only !== undefined ? `The columns of ${only} are ${columnsOf(only)}.` : undefined;
}
