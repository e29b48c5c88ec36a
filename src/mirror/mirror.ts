import type { Logger } from 'pino';
import type { ApiClient } from '../api/api.ts';
import type {
  Asking,
  MirrorCoverage,
  Refreshable,
  RefreshQuestion,
  RefreshResult,
  RefreshTerms,
  TableCoverage,
} from '../mcp/data-mirror.ts';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import { createShutdownSignal } from '../shared/shutdown.ts';
import { createCallers } from './callers.ts';
import { type Cell, createMemories, RefusedError } from './engine/messages.ts';
import { startThread } from './engine/thread.ts';
import {
  createCatalogFilling,
  createCompletionFilling,
  createPostFilling,
  createStructureFilling,
  createStudentFilling,
} from './fill/academy-lists.ts';
import { type FillContext, inTurns, refresh, runFiller } from './fill/filling.ts';
import { noteWritten } from './fill/order-windows.ts';
import { createOrderFilling } from './fill/orders.ts';
import { type Activity, createActivity, createPacedApi } from './fill/pace.ts';
import { createRecords } from './read/records.ts';
import { createCalendar } from './rows/rows.ts';
import { tables } from './schema/tables.ts';
import { openStore, type Read } from './store.ts';

/** Longest message of SQLite that is passed on, in characters. */
const maxMessage = 300;
/** The longest time of a statement, in milliseconds. */
const queryMs = 2_000;
/** The same of one whose rows are all exported. */
const exportMs = 15_000;

const namesOf = (named: readonly { readonly name: string }[]) => named.map(({ name }) => name).join(', ');

/** The names that a statement can use, if it uses others; undefined without a guess. */
function namesFor(message: string, sql: string): string | undefined {
  if (message.startsWith('no such table')) return `The tables are ${namesOf(tables)}.`;
  const used = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
  if (!message.startsWith('no such column') || used.length === 0) return undefined;
  return used.map(({ name, columns }) => `The columns of ${name} are ${namesOf(columns)}.`).join(' ');
}

function refusedStatement(error: unknown, sql: string): unknown {
  if (!(error instanceof RefusedError)) return error;
  const { kind, message } = error;
  if (kind === 'damaged' || kind === 'ended' || kind === 'stopped')
    return new AcademyError('internal', 'the copy of the academy could not be read', { hint: 'Call again.' });
  const hints = {
    sql: namesFor(message, sql) ?? 'describe_data shows the tables and columns.',
    slow: 'Narrow it with WHERE, or add up with GROUP BY.',
    large: 'Narrow it with WHERE, or add up with GROUP BY.',
    read_only: 'Rewrite it as one SELECT.',
  };
  // SQLite repeats names of the statement, which may hold invisible characters.
  return new AcademyError('invalid_input', oneLine(message, maxMessage), { hint: hints[kind] });
}

const facts = ['complete_from', 'total', 'new_up_to', 'changes_as_of', 'compared_at', 'problem'];

/** Each table with its number of rows and what is known of it. The products of orders are as complete as the orders. */
const tableStates = `SELECT counted.name, held, complete, ${facts.join(', ')} FROM (${tables
  .filter(({ view, name }) => view === undefined && name !== 'sync')
  .map(({ name }) => `SELECT '${name}' AS name, count(*) AS held FROM ${name}`)
  .join(' UNION ALL ')}) AS counted LEFT JOIN sync ON sync.name = replace(counted.name, 'order_items', 'orders')`;

function coverageOf([table, rows, complete, ...values]: readonly Cell[]): TableCoverage {
  const known = facts.map((name, index) => [name, values[index]] as const).filter(([, value]) => value != null);
  return { table: String(table), rows: Number(rows), complete: complete === 1, ...Object.fromEntries(known) };
}

/** What the mirror holds: counts, and for each table whether it is complete and how fresh. All reads are of one state. */
async function readCoverage(read: Read, timezone: string): Promise<MirrorCoverage> {
  const states = await read(tableStates);
  const unreadable = new Map<string, number>();
  const kinds = await read('SELECT unreadable, count(*) FROM orders WHERE unreadable IS NOT NULL GROUP BY 1');
  for (const [names, count] of kinds) {
    for (const name of String(names).split(', ')) unreadable.set(name, (unreadable.get(name) ?? 0) + Number(count));
  }
  return { tables: states.map(coverageOf), unreadable: Object.fromEntries(unreadable), timezone };
}

export interface MirrorOptions {
  readonly api: ApiClient;
  /** `memory`, or the path of a file. */
  readonly place: string;
  /** The part of the account's budget that the filling can use. */
  readonly share: number;
  readonly baseUrl: URL;
  /** IANA time zone of days, weeks and months. */
  readonly timezone: string;
  readonly activity: Activity;
  readonly log: Logger;
  readonly now: () => Date;
  /** The longest time of a refresh, in milliseconds. */
  readonly refreshMs: number;
}

/** What other calls or events tell the mirror. */
export interface Noted {
  /** Lists that have changed, and are read again soon. */
  readonly changed?: readonly Refreshable[];
  /** A write of this program that may have changed orders: of the person with this email, or without one, of anybody. */
  readonly written?: { readonly email: string | undefined };
}

/** Opens the mirror and fills it from now on. Throws `SettingsError` for a file that cannot be used. */
export async function openMirror(options: MirrorOptions) {
  const { api, place, share, baseUrl, timezone, activity, log, refreshMs } = options;
  // Times are the server's, like those of its records.
  const now = () => new Date(options.now().getTime() + api.clockShiftMs());
  const end = createShutdownSignal();
  const file = place === 'memory' ? undefined : place;
  const startedAt = performance.now();
  const memories = createMemories();
  // Beside that of the store: both take a while to start.
  const thread = startThread(memories);
  const identity = { baseUrl: baseUrl.href, timezone };
  const store = await openStore({ identity, file, log, now, memories }).catch(async (error: unknown) => {
    await thread.end();
    throw error;
  });
  const fillings = {
    orders: inTurns(createOrderFilling()),
    catalog: inTurns(createCatalogFilling()),
    students: inTurns(createStudentFilling()),
    completions: inTurns(createCompletionFilling()),
    structures: inTurns(createStructureFilling()),
    posts: inTurns(createPostFilling()),
  };
  const { orders, ...others } = fillings;
  const waiting = createActivity();
  const context: FillContext = {
    api: createPacedApi({ api, share, activity, waiting, signal: end.signal }),
    store,
    now,
    calendar: createCalendar(timezone),
    log,
  };
  const filling = runFiller(context, [orders, ...Object.values(others)], waiting, end.signal);

  const describe = (read: Read) => readCoverage(read, timezone);
  const callers = createCallers({ store, thread, describe });
  /** What is said of a statement's rows is of the snapshot that it ran on. A refusal says what to change. */
  async function answered<Answer>(sql: string, asked: Promise<Answer & { about: MirrorCoverage }>) {
    const { about: coverage, ...answer } = await asked.catch((error: unknown) => {
      throw refusedStatement(error, sql);
    });
    return { ...answer, coverage };
  }
  let logFirst = (ms: number) => log.debug({ ms }, 'the mirror answered its first statement');

  return {
    records: createRecords(store, now),
    query: async (sql: string, maxRows: number, asking: Asking) => {
      const result = await answered(sql, callers.run('query', { sql, maxRows, timeMs: queryMs }, asking));
      logFirst(Math.round(performance.now() - startedAt));
      logFirst = () => {};
      return result;
    },
    csv: (sql: string, maxBytes: number, asking: Asking) =>
      answered(sql, callers.run('csv', { sql, maxBytes, timeMs: exportMs }, asking)),
    coverage: async () => {
      const coverage = await store.together(describe);
      // No statement after it is of older rows.
      store.renew();
      return coverage;
    },
    refresh: async (question: RefreshQuestion, terms: RefreshTerms): Promise<RefreshResult> => {
      const parts = { context, fillings, waiting, refreshMs };
      return await refresh(question, terms, parts).finally(store.renew);
    },
    note: async ({ changed = [], written: write }: Noted): Promise<void> => {
      for (const name of changed) fillings[name].invalidate();
      if (write === undefined) return;
      fillings.orders.invalidate();
      await store.write(noteWritten(write.email, now().getTime()));
      store.renew();
    },
    /** Resolves when its database is lost, or closed. Then another mirror has to be opened. */
    lost: store.lost,
    /** Sends no more requests of its own. */
    stopFilling: () => end.abort(),
    /** Ends the statements of callers. */
    close: async () => {
      end.abort();
      await callers.close();
      await filling;
      await store.save().catch(() => log.warn('the mirror file could not be saved'));
      await store.close();
    },
  };
}

export type Mirror = Awaited<ReturnType<typeof openMirror>>;
