import type { DataMirror } from '../mcp/data-mirror.ts';
import { AcademyError } from '../shared/errors.ts';
import { RefusedError } from './engine/refused-error.ts';
import type { Store } from './store.ts';
import { suggestFor } from './suggest.ts';

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
  return new AcademyError('invalid_input', error.message, { hint: hints[error.kind] });
}

/** Runs statements of strangers. A refusal says what to change. `prepare` comes before each. */
export function createStatements(store: Store, prepare: () => Promise<void>): Pick<DataMirror, 'query' | 'csv'> {
  async function run<Result>(sql: string, ask: () => Promise<Result>): Promise<Result> {
    await prepare();
    return await ask().catch((error: unknown) => {
      throw refusedStatement(error, sql);
    });
  }

  return {
    query: (sql, maxRows) => run(sql, () => store.query(sql, { maxRows, timeMs: queryMs })),
    csv: (sql, maxBytes) => run(sql, () => store.csv(sql, { maxBytes, timeMs: exportMs })),
  };
}
