import type { DataMirror, MirrorCoverage } from '../mcp/data-mirror.ts';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import type { Callers } from './callers.ts';
import { RefusedError } from './engine/messages.ts';
import { suggestFor } from './suggest.ts';

/** Longest message of SQLite that is passed on, in characters. */
const maxMessage = 300;
/** The longest time of a statement, in milliseconds. */
const queryMs = 2_000;
/** The same of one whose rows are all exported. */
const exportMs = 15_000;

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
  async function run<Answer extends { about: MirrorCoverage }>(sql: string, ask: () => Promise<Answer>) {
    const { about: coverage, ...answer } = await ask().catch((error: unknown) => {
      throw refusedStatement(error, sql);
    });
    return { ...answer, coverage };
  }
  return {
    query: (sql, maxRows, asking) => run(sql, () => callers.run('query', { sql, maxRows, timeMs: queryMs }, asking)),
    csv: (sql, maxBytes, asking) => run(sql, () => callers.run('csv', { sql, maxBytes, timeMs: exportMs }, asking)),
  };
}
