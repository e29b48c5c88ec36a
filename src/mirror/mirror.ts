import type { Logger } from 'pino';
import type { CallOptions } from '../api/api.ts';
import type { ApiClient } from '../api/client.ts';
import type { EventName } from '../contract/events.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import { stateOf } from '../events/event.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type {
  Asking,
  DataMirror,
  MirrorCoverage,
  MirrorRecords,
  Refreshable,
  TableCoverage,
} from '../mcp/data-mirror.ts';
import { oneLine } from '../shared/clean-text.ts';
import { AcademyError } from '../shared/errors.ts';
import { createShutdownSignal, stopping } from '../shared/shutdown.ts';
import { createCallers, type StatementArgs } from './callers.ts';
import { type Cell, createMemories, RefusedError } from './engine/messages.ts';
import { startThread } from './engine/thread.ts';
import { createListFillings } from './fill/academy-lists.ts';
import { type Activity, createPacedApi, type FillContext, refresh, runFiller } from './fill/filling.ts';
import { noteWritten } from './fill/order-windows.ts';
import { createOrderFilling } from './fill/orders.ts';
import { createRecords } from './read/records.ts';
import { createCalendar } from './rows/rows.ts';
import { tables } from './rows/tables.ts';
import { openStore, type Read } from './store.ts';

/** Longest message of SQLite that is passed on, in characters. */
const maxMessage = 300;
/** The longest time of a statement, and of one whose rows are all exported. Milliseconds. */
const queryMs = 2_000;
const exportMs = 15_000;

const namesOf = (named: readonly { readonly name: string }[]) => named.map(({ name }) => name).join(', ');

/** The names that a statement can use, if it uses others; undefined without a guess. */
function namesFor(message: string, sql: string): string | undefined {
  if (message.startsWith('no such table')) return `The tables are ${namesOf(tables)}.`;
  const used = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, 'i').test(sql));
  if (!message.startsWith('no such column') || used.length === 0) return undefined;
  return used.map(({ name, columns }) => `The columns of ${name} are ${namesOf(columns)}.`).join(' ');
}

/** A refusal says what to change. */
function refuse(error: unknown, sql: string): never {
  if (!(error instanceof RefusedError)) throw error;
  const { kind, message } = error;
  if (kind === 'damaged' || kind === 'ended' || kind === 'stopped')
    throw new AcademyError('internal', 'the copy of the academy could not be read', { hint: 'Call again.' });
  const narrow = 'Narrow it with WHERE, or add up with GROUP BY.';
  const hints = {
    sql: namesFor(message, sql) ?? 'describe_data shows the tables and columns.',
    ...{ slow: narrow, large: narrow, read_only: 'Rewrite it as one SELECT.' },
  };
  // SQLite repeats names of the statement, which may hold invisible characters.
  throw new AcademyError('invalid_input', oneLine(message, maxMessage), { hint: hints[kind] });
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
  const [[unreadable] = []] = await read('SELECT count(*) FROM orders WHERE unreadable IS NOT NULL');
  return { tables: states.map(coverageOf), unreadable: Number(unreadable), timezone };
}

interface MirrorOptions {
  readonly api: ApiClient;
  /** The path of a file; undefined: in memory alone. */
  readonly file: string | undefined;
  /** The part of the account's budget that the filling can use. */
  readonly share: number;
  readonly baseUrl: URL;
  /** IANA time zone of days, weeks and months. */
  readonly timezone: string;
  readonly log: Logger;
  readonly now: () => Date;
  /** The longest time of a refresh, in milliseconds. */
  readonly refreshMs: number;
}

/** Opens the database and fills it until the signal aborts. Throws `SettingsError` for a file that cannot be used. */
async function openMirror(options: MirrorOptions, activity: Activity, stopped: AbortSignal) {
  const { api, file, share, baseUrl, timezone, log, refreshMs } = options;
  // Times are the server's, like those of its records.
  const now = () => new Date(options.now().getTime() + api.clockShiftMs());
  const end = createShutdownSignal();
  const signal = AbortSignal.any([stopped, end.signal]);
  const memories = createMemories();
  // Beside that of the store: both take a while to start.
  const thread = startThread(memories);
  const identity = { baseUrl: baseUrl.href, timezone };
  const store = await openStore({ identity, file, log, now, memories }).catch(async (error: unknown) => {
    await thread.end();
    throw error;
  });
  const fillings = { orders: createOrderFilling(), ...createListFillings() };
  const waiting: Activity = { running: 0 };
  const paced = createPacedApi({ api, share, activity, waiting, signal });
  const context: FillContext = { api: paced, store, now, calendar: createCalendar(timezone), log };
  const parts = { context, fillings, waiting, refreshMs };
  const filling = runFiller(parts, signal);
  const describe = (read: Read) => readCoverage(read, timezone);
  const callers = createCallers({ store, thread, describe });

  return {
    callers,
    parts,
    lost: store.lost,
    records: createRecords(store, now),
    coverage: () => store.together(describe),
    note: async ({ changed = [], written }: Noted): Promise<void> => {
      for (const name of changed) fillings[name].invalidate();
      if (written === undefined) return;
      fillings.orders.invalidate();
      await store.write(noteWritten(written.email, now().getTime()));
      callers.renew();
    },
    close: async () => {
      end.abort();
      await callers.close();
      await filling;
      await store.save().catch(() => log.warn('the mirror file could not be saved'));
      await store.close();
    },
  };
}

interface Noted {
  /** Lists that have changed, and are read again soon. */
  readonly changed?: readonly Refreshable[];
  /** A write of this program that may have changed orders: of the person with this email, or without one, of anybody. */
  readonly written?: { readonly email: string | undefined };
}

/** What a write may have changed, even if it failed: whether it was done may be unknown. */
function changesOf({ changes: changed }: Operation, input: object): Noted | undefined {
  if (changed.length === 0) return undefined;
  const email = 'email' in input && typeof input.email === 'string' ? input.email : undefined;
  if (changed.includes('orders')) return { changed, written: { email } };
  // Orders show the present titles of their products.
  return changed.includes('catalog') && 'title' in input ? { changed, written: { email: undefined } } : { changed };
}

/** A mirror that is opened on first use: the database is never loaded before the first tools/list, question or write. */
export function createMirror(options: MirrorOptions) {
  const { api, log } = options;
  const activity: Activity = { running: 0 };
  /** The program ends: no statement is refused yet, but nothing more is filled. */
  const stopped = createShutdownSignal();
  let opening: ReturnType<typeof openMirror> | undefined;
  let isClosed = false;
  /** Every question is answered after everything that was noted before. */
  let noting: Promise<unknown> = Promise.resolve();

  async function openNow() {
    const opened = await openMirror(options, activity, stopped.signal);
    // Another one takes the place of one whose database is lost. What that one knew of writes may not be in the file.
    void opened.lost.then(() => {
      if (isClosed) return;
      opening = opened.close().then(openNow);
      opening.catch(() => {});
      note({ written: { email: undefined } });
    });
    return opened;
  }

  function open() {
    if (isClosed) return Promise.reject(stopping());
    opening ??= openNow();
    return opening;
  }

  function note(noted: Noted): void {
    // A write opens it, since its file is older. What else there is to note comes when it is filled.
    const mirror = noted.written === undefined ? opening : open();
    const done = mirror?.then((one) => one.note(noted)).catch(() => {});
    noting = Promise.all([noting, done]);
  }

  async function ready() {
    const opened = await open();
    await noting;
    return opened;
  }

  /** Asks the mirror for records. A mirror that is not open yet, or that fails, has none. */
  async function recordsFrom<Found>(ask: (records: MirrorRecords) => Promise<Found | undefined>) {
    try {
      return opening && (await ask((await ready()).records));
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'the mirror could not be read');
      return undefined;
    }
  }

  async function call<O extends Operation>(operation: O, input: InputOf<O>, options: CallOptions = {}) {
    activity.running += 1;
    try {
      return await api.call(operation, input, options);
    } finally {
      activity.running -= 1;
      const noted = changesOf(operation, input);
      if (noted !== undefined) note(noted);
    }
  }

  async function runStatement<Name extends 'query' | 'csv'>(name: Name, args: StatementArgs<Name>, asking: Asking) {
    const { callers } = await ready();
    return await callers.run(name, args, asking).catch((error: unknown) => refuse(error, args.sql));
  }

  const mirror: DataMirror = {
    records: {
      orders: (...query) => recordsFrom((records) => records.orders(...query)),
      ordersOf: (buyers) => recordsFrom((records) => records.ordersOf(buyers)),
    },
    query: (sql, maxRows, asking) => runStatement('query', { sql, maxRows, timeMs: queryMs }, asking),
    csv: (sql, maxBytes, asking) => runStatement('csv', { sql, maxBytes, timeMs: exportMs }, asking),
    coverage: async () => {
      const { callers, coverage } = await ready();
      // No statement after it is of older rows.
      return await coverage().finally(callers.renew);
    },
    refresh: async (question, terms) => {
      const { parts, callers } = await ready();
      return await refresh(question, terms, parts).finally(callers.renew);
    },
  };

  return {
    ...mirror,
    start: () => {
      open().catch((error: unknown) => {
        log.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'the mirror could not be opened');
      });
    },
    /** The API for the calls of people: the filling sends nothing meanwhile, and learns what they changed. */
    api: { ...api, call },
    note,
    /** Sends no more requests of its own, and still answers. */
    stopFilling: () => stopped.abort(),
    close: async () => {
      isClosed = true;
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** A new student is found within ten minutes by comparing the number of students: the list is too long for each event. */
const changedBy: Readonly<Partial<Record<EventName, Refreshable>>> = {
  new_order: 'orders',
  student_completed: 'completions',
};

/** Notes events that the API shows, too: anyone can send one. Returns the function that ends this. */
export function noteEvents(feed: EventFeed, note: (noted: Noted) => void): () => void {
  const verified = () => feed.events().filter((event) => stateOf(event) === 'verified');
  let known = verified();
  return feed.subscribe(() => {
    const ids = new Set(known.map(({ id }) => id));
    known = verified();
    note({ changed: known.flatMap(({ id, event }) => (ids.has(id) ? [] : (changedBy[event] ?? []))) });
  });
}
