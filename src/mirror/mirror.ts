import { pid } from 'node:process';
import type { Logger } from 'pino';
import type { ApiClient } from '../api/api.ts';
import type { DataMirror, Refreshable, RefreshQuestion, RefreshResult, RefreshTerms } from '../mcp/data-mirror.ts';
import { createShutdownSignal } from '../shared/shutdown.ts';
import { createCallers } from './callers.ts';
import { readCoverage } from './coverage.ts';
import { createMemories } from './engine/messages.ts';
import { startThread } from './engine/thread.ts';
import { openMirrorFile } from './file/mirror-file.ts';
import {
  createCatalogFilling,
  createCompletionFilling,
  createPostFilling,
  createStructureFilling,
  createStudentFilling,
} from './fill/academy-lists.ts';
import { readState, writeState } from './fill/fill-state.ts';
import { type FillContext, inTurns, refresh, runFiller } from './fill/filling.ts';
import { createWrittenOrders } from './fill/order-windows.ts';
import { createOrderFilling } from './fill/orders.ts';
import { type Activity, createActivity, createPacedApi } from './fill/pace.ts';
import { createRecords } from './read/records.ts';
import { deriveFromOrders } from './rows/order-rows.ts';
import { createCalendar, emailCells, insertRows, rowOf } from './rows/rows.ts';
import { createStatements } from './statements.ts';
import { openStore, type Read, type Store } from './store.ts';

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
  /** The percentage of a student in a course, as another tool has read it: a row of `completions`. */
  readonly completion?: { readonly email: string } & Readonly<
    Record<'course_id' | 'percent' | 'student_id' | 'read_at', unknown>
  >;
  /** A write of this program that may have changed orders: of the person with this email, or without one, of anybody. */
  readonly written?: { readonly email: string | undefined };
}

/** What follows from the orders is computed when it is asked for, not after each page. */
async function derive(store: Store): Promise<void> {
  if (!store.isFiller() || (await readState(store, 'orders_changed')) === undefined) return;
  await store.write([deriveFromOrders, writeState('orders_changed', undefined)]);
}

/** Opens the mirror and fills it from now on. Throws `SettingsError` for a file that cannot be used. */
export async function openMirror(options: MirrorOptions) {
  const { api, place, share, baseUrl, timezone, activity, log, refreshMs } = options;
  // Times are the server's, like those of its records.
  const now = () => new Date(options.now().getTime() + api.clockShiftMs());
  const end = createShutdownSignal();
  const file = place === 'memory' ? undefined : openMirrorFile(place, pid);
  const startedAt = performance.now();
  const memories = createMemories();
  // Beside that of the store: both take a while to start.
  const thread = startThread(memories);
  const identity = { baseUrl: baseUrl.href, timezone };
  const store = await openStore({ identity, file, log, now, memories }).catch(async (error: unknown) => {
    await thread.end();
    throw error;
  });
  const written = createWrittenOrders(store);
  const fillings = {
    orders: inTurns(createOrderFilling(written)),
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
    store: {
      ...store,
      save: async () => {
        await derive(store);
        await store.save();
      },
    },
    now,
    calendar: createCalendar(timezone),
    log,
  };
  const filling = runFiller(context, [orders, ...Object.values(others)], end.signal);

  const coverageOf = (read: Read) => readCoverage(read, timezone, store.isFiller());
  const callers = createCallers({ store, thread, prepare: () => derive(store), describe: coverageOf });
  const statements = createStatements(callers);
  let logFirst = (ms: number) => log.debug({ ms }, 'the mirror answered its first statement');

  return {
    records: createRecords(store, written, now),
    ...statements,
    query: async (...args: Parameters<DataMirror['query']>) => {
      const result = await statements.query(...args);
      logFirst(Math.round(performance.now() - startedAt));
      logFirst = () => {};
      return result;
    },
    coverage: async () => {
      const coverage = await store.together(coverageOf);
      // No statement after it is of older rows.
      store.renew();
      return coverage;
    },
    refresh: async (question: RefreshQuestion, terms: RefreshTerms): Promise<RefreshResult> => {
      if (!store.isFiller()) return { stopped: 'another process fills this mirror' };
      const parts = { context, fillings, waiting, refreshMs };
      return await refresh(question, terms, parts).finally(store.renew);
    },
    /** Stores what another tool has read or changed. */
    note: async ({ changed = [], completion, written: write }: Noted): Promise<void> => {
      for (const name of changed) fillings[name].invalidate();
      if (write !== undefined) {
        fillings.orders.invalidate();
        await written.note(write.email, now().getTime());
        store.renew();
      }
      if (completion === undefined || !store.isFiller()) return;
      const { email, ...others } = completion;
      await store.write(insertRows('completions', [{ ...rowOf(others), ...emailCells(email) }]));
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
      await context.store.save().catch(() => log.warn('the mirror file could not be saved'));
      await store.close();
    },
  };
}

export type Mirror = Awaited<ReturnType<typeof openMirror>>;
