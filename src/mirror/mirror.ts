import { pid } from 'node:process';
import type { Logger } from 'pino';
import type { ApiClient } from '../api/api.ts';
import type { DataMirror, RefreshQuestion, RefreshResult, RefreshTerms } from '../mcp/data-mirror.ts';
import { createShutdownSignal } from '../shared/shutdown.ts';
import { createCallers } from './callers.ts';
import { readCoverage } from './coverage.ts';
import { openMirrorFile } from './file/mirror-file.ts';
import { readState, writeState } from './fill/fill-state.ts';
import { type FillContext, inTurns, refresh, runFiller } from './fill/filling.ts';
import {
  createCatalogFilling,
  createCompletionFilling,
  createPostFilling,
  createStructureFilling,
} from './fill/lists.ts';
import { createOrderFilling } from './fill/orders.ts';
import { type Activity, createActivity, createPacedApi } from './fill/pace.ts';
import { createStudentFilling } from './fill/students.ts';
import { createWrittenOrders } from './fill/written-orders.ts';
import type { Noted } from './noted.ts';
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

export interface Mirror extends DataMirror {
  /** Stores what another tool has read or changed. */
  note(noted: Noted): Promise<void>;
  /** Resolves when its database is lost, or closed. Then another mirror has to be opened. */
  readonly lost: Promise<void>;
  /** Sends no more requests of its own. */
  stopFilling(): void;
  /** Ends the statements of callers. */
  close(): Promise<void>;
}

/** What follows from the orders is computed when it is asked for, not after each page. */
async function derive(store: Store): Promise<void> {
  if (!store.isFiller() || (await readState(store, 'orders_changed')) === undefined) return;
  await store.write([...deriveFromOrders, writeState('orders_changed', undefined)]);
}

/** Logs once how long opening and the first statement took. */
function logFirstAnswer(query: DataMirror['query'], startedAt: number, log: Logger): DataMirror['query'] {
  let isFirst = true;
  return async (...args) => {
    const result = await query(...args);
    const ms = Math.round(performance.now() - startedAt);
    if (isFirst) log.debug({ ms }, 'the mirror answered its first statement');
    isFirst = false;
    return result;
  };
}

/** Opens the mirror and fills it from now on. Throws `SettingsError` for a file that cannot be used. */
export async function openMirror(options: MirrorOptions): Promise<Mirror> {
  const { api, place, share, baseUrl, timezone, activity, log, now, refreshMs } = options;
  const end = createShutdownSignal();
  const file = place === 'memory' ? undefined : openMirrorFile(place, pid);
  const startedAt = performance.now();
  const identity = { baseUrl: baseUrl.href, timezone };
  const store = await openStore({ identity, file, log, now });
  const written = createWrittenOrders(store);
  const fillings = {
    orders: inTurns(createOrderFilling(written)),
    catalog: inTurns(createCatalogFilling()),
    students: inTurns(createStudentFilling(now)),
    completions: inTurns(createCompletionFilling()),
    structures: inTurns(createStructureFilling()),
    posts: inTurns(createPostFilling()),
  };
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
    clockShiftMs: api.clockShiftMs,
    calendar: createCalendar(timezone),
    log,
  };
  const filling = runFiller(context, Object.values(fillings), end.signal);

  const coverageOf = (read: Read) => readCoverage(read, timezone, store.isFiller());
  const callers = createCallers({ store, prepare: () => derive(store), describe: coverageOf });
  const statements = createStatements(callers);

  async function refreshNow(question: RefreshQuestion, terms: RefreshTerms): Promise<RefreshResult> {
    if (!store.isFiller()) return { stopped: 'another process fills this mirror' };
    try {
      return await refresh(question, terms, { context, fillings, waiting, refreshMs });
    } finally {
      store.renew();
    }
  }

  return {
    records: createRecords(store, written, now),
    ...statements,
    query: logFirstAnswer(statements.query, startedAt, log),
    coverage: async () => {
      const coverage = await store.together(coverageOf);
      // No statement after it is of older rows.
      store.renew();
      return coverage;
    },
    refresh: refreshNow,
    note: async ({ changed, completion, written: write }) => {
      for (const name of changed ?? []) fillings[name].invalidate();
      if (write !== undefined) {
        fillings.orders.invalidate();
        await written.note(write.email, now().getTime());
        store.renew();
      }
      if (completion === undefined || !store.isFiller()) return;
      const { student: student_id, email, course: course_id, percent, readAt: read_at } = completion;
      const row = { ...rowOf({ student_id, course_id, percent, read_at }), ...emailCells(email) };
      await store.write(insertRows('completions', [row]));
    },
    lost: store.lost,
    stopFilling: () => end.abort(),
    close: async () => {
      end.abort();
      await callers.close();
      await filling;
      await context.store.save().catch(() => log.warn('the mirror file could not be saved'));
      await store.close();
    },
  };
}
