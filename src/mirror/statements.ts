import type { DataMirror, MirrorCoverage } from '../mcp/data-mirror.ts';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import { RefusedError } from './engine/refused-error.ts';
import { withOneDatabase } from './one-database.ts';
import type { Store } from './store.ts';
import { suggestFor } from './suggest.ts';

/** Longest message of SQLite that is passed on, in characters. */
const maxMessage = 300;
/** The longest time of a statement, in milliseconds. */
const queryMs = 2_000;
/** The same of one whose rows are all exported. */
const exportMs = 15_000;

function refusedStatement(error: unknown, sql: string): unknown {
  if (!(error instanceof RefusedError)) return error;
  const hints = {
    sql: suggestFor(error.message, sql) ?? 'describe_data shows the tables and columns.',
    limit: 'Narrow it with WHERE, or add up with GROUP BY.',
    read_only: 'Rewrite it as one SELECT.',
    damaged: 'Call again.',
  };
  // SQLite repeats names of the statement, which may hold invisible characters.
  return new AcademyError('invalid_input', oneLine(error.message, maxMessage), { hint: hints[error.kind] });
}

interface StatementParts {
  readonly store: Store;
  /** Comes before each statement. */
  readonly prepare: () => Promise<void>;
  readonly coverageOf: (store: Store) => Promise<MirrorCoverage>;
}

/** Runs statements of strangers. A refusal says what to change. */
export function createStatements(parts: StatementParts): Pick<DataMirror, 'query' | 'csv'> {
  const { store, prepare, coverageOf } = parts;

  async function run<Result>(sql: string, ask: (pinned: Store) => Promise<Result>) {
    await prepare();
    const asked = withOneDatabase(store, async (pinned) => {
      // Before the statement: what is filled meanwhile must not count as covered.
      const coverage = await coverageOf(pinned);
      return { ...(await ask(pinned)), coverage };
    });
    return await asked.catch((error: unknown) => {
      throw refusedStatement(error, sql);
    });
  }

  return {
    query: (sql, maxRows) => run(sql, (pinned) => pinned.query(sql, { maxRows, timeMs: queryMs })),
    csv: (sql, maxBytes) => run(sql, (pinned) => pinned.csv(sql, { maxBytes, timeMs: exportMs })),
  };
}
