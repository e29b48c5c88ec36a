import { distance } from 'fastest-levenshtein';
import type { DataMirror, MirrorCoverage } from '../mcp/data-mirror.ts';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import type { Callers } from './callers.ts';
import { RefusedError } from './engine/messages.ts';
import { tables } from './schema/tables.ts';

/** Longest message of SQLite that is passed on, in characters. */
const maxMessage = 300;
/** The longest time of a statement, in milliseconds. */
const queryMs = 2_000;
/** The same of one whose rows are all exported. */
const exportMs = 15_000;
/** Longer names are not compared: that costs time, and helps nobody. */
const maxName = 60;

/** Up to three names that are like this one. */
function nearest(name: string, names: readonly string[]): readonly string[] {
  const ranked = names.map((known) => {
    const isPart = name.length >= 3 && (known.includes(name) || name.includes(known));
    return { known, rank: isPart ? 1 : distance(name, known) };
  });
  const near = ranked.filter(({ rank }) => rank <= Math.max(2, name.length / 3));
  return near.sort((one, other) => one.rank - other.rank).flatMap(({ known }, index) => (index < 3 ? known : []));
}

const namesOf = (named: readonly { readonly name: string }[]) => [...new Set(named.map(({ name }) => name))];

/** Which table or column was probably meant by a statement that SQLite does not understand; undefined without a guess. */
function suggestFor(message: string, sql: string): string | undefined {
  const [, kind, written = ''] = /no such (column|table): (\S+)/.exec(message) ?? [];
  if (kind === undefined || written.length > maxName) return undefined;
  const used = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
  const columns = namesOf((used.length > 0 ? used : tables).flatMap((table) => table.columns));
  const name = written.split('.').at(-1)?.toLowerCase() ?? '';
  const found = nearest(name, kind === 'table' ? namesOf(tables) : columns);
  if (found.length > 0) return `Did you mean ${found.join(' or ')}?`;
  if (kind === 'table') return `The tables are ${namesOf(tables).join(', ')}.`;
  return used.length === 1 ? `The columns of ${used[0]?.name} are ${columns.join(', ')}.` : undefined;
}

function refusedStatement(error: unknown, sql: string): unknown {
  if (!(error instanceof RefusedError)) return error;
  const { kind, message } = error;
  if (kind === 'damaged' || kind === 'ended' || kind === 'stopped')
    return new AcademyError('internal', 'the copy of the academy could not be read', { hint: 'Call again.' });
  const hints = {
    sql: suggestFor(message, sql) ?? 'describe_data shows the tables and columns.',
    slow: 'Narrow it with WHERE, or add up with GROUP BY.',
    large: 'Narrow it with WHERE, or add up with GROUP BY.',
    read_only: 'Rewrite it as one SELECT.',
  };
  // SQLite repeats names of the statement, which may hold invisible characters.
  return new AcademyError('invalid_input', oneLine(message, maxMessage), { hint: hints[kind] });
}

/** Runs statements of callers. A refusal says what to change. */
export function createStatements(callers: Callers<MirrorCoverage>): Pick<DataMirror, 'query' | 'csv'> {
  async function run<Answer>(sql: string, asked: Promise<Answer & { about: MirrorCoverage }>) {
    const { about: coverage, ...answer } = await asked.catch((error: unknown) => {
      throw refusedStatement(error, sql);
    });
    return { ...answer, coverage };
  }
  return {
    query: (sql, maxRows, asking) => run(sql, callers.run('query', { sql, maxRows, timeMs: queryMs }, asking)),
    csv: (sql, maxBytes, asking) => run(sql, callers.run('csv', { sql, maxBytes, timeMs: exportMs }, asking)),
  };
}
