import type { ApiClient, CallOptions } from '../api/api.ts';
import { getCourseCompletion } from '../contract/courses.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import { asOf } from '../insights/period.ts';
import type { DataMirror, MirrorRecords } from '../mcp/data-mirror.ts';
import { isObject } from '../shared/json.ts';
import { stopping } from '../shared/shutdown.ts';
import { createActivity } from './fill/pace.ts';
import type { Mirror, MirrorOptions } from './mirror.ts';
import type { Noted } from './noted.ts';

/** A mirror that is opened on first use: the database is never loaded before the first tools/list. */
export interface LazyMirror extends DataMirror {
  /** Opens it and begins to fill it, in the background. */
  start(): void;
  /** The API for the calls of people: the mirror stands back for them, and learns from them. */
  readonly api: ApiClient;
  note(noted: Noted): void;
  /** Sends no more requests of its own, and still answers. */
  stopFilling(): void;
  close(): Promise<void>;
}

/** The orders that a write may have changed, even if it failed: whether it was done may be unknown. */
function writtenBy({ changes }: Operation, input: object): Noted['written'] {
  // Orders show the present titles of their products.
  if (changes.includes('catalog') && 'title' in input) return { email: undefined };
  if (!changes.includes('orders')) return undefined;
  return { email: 'email' in input && typeof input.email === 'string' ? input.email : undefined };
}

/** The percentage of a student in a course, if this call has read it. */
function completionIn(operation: Operation, input: object, answer: object, now: Date): Noted['completion'] {
  if (operation.id !== getCourseCompletion.id || !('course_id' in input) || !('user_email' in input)) return undefined;
  const { course_id: course, user_email: email } = input;
  const record = isObject(answer) ? answer : {};
  const { course_completion_percent: percent, id } = record;
  if (typeof course !== 'number' || typeof email !== 'string' || typeof percent !== 'number') return undefined;
  return { course, email, percent, student: typeof id === 'number' ? id : undefined, readAt: asOf(now) };
}

export function createLazyMirror(options: Omit<MirrorOptions, 'activity'>): LazyMirror {
  const { api, now, log } = options;
  const activity = createActivity();
  let opening: Promise<Mirror> | undefined;
  /** The program ends: no statement is refused yet, but nothing more is filled. */
  let isStopping = false;
  let isClosed = false;
  /** The writes before it was opened: its file may be older. By person. */
  const early = new Map<string | undefined, Noted>();
  let hasWritten = false;
  /** Every question is answered after everything that was noted before. */
  let noting: Promise<unknown> = Promise.resolve();

  async function openNow(): Promise<Mirror> {
    const { openMirror } = await import('./mirror.ts');
    const mirror = await openMirror({ ...options, activity });
    if (isStopping) mirror.stopFilling();
    for (const noted of early.values()) await mirror.note(noted);
    void mirror.lost.then(() => reopen(mirror));
    return mirror;
  }

  function open(): Promise<Mirror> {
    if (isClosed) return Promise.reject(stopping());
    opening ??= openNow();
    return opening;
  }

  /** Another mirror takes the place of one whose database is lost. What that one knew of writes may not be in the file. */
  function reopen(lost: Mirror): void {
    if (isClosed) return;
    early.clear();
    if (hasWritten) early.set(undefined, { written: { email: undefined } });
    opening = lost.close().then(openNow);
    opening.catch(() => {});
  }

  function note(noted: Noted): void {
    if (noted.written !== undefined) hasWritten = true;
    if (opening === undefined && noted.written !== undefined) early.set(noted.written.email, noted);
    const done = opening?.then((mirror) => mirror.note(noted)).catch(() => {});
    noting = Promise.all([noting, done]);
  }

  async function ready(): Promise<Mirror> {
    const mirror = await open();
    await noting;
    return mirror;
  }

  /** Asks the mirror for records. A mirror that is not open yet, or that fails, has none. */
  async function recordsFrom<Found>(ask: (records: MirrorRecords) => Promise<Found | undefined>) {
    try {
      const mirror = await opening;
      await noting;
      return mirror && (await ask(mirror.records));
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'the mirror could not be read');
      return undefined;
    }
  }

  async function call<O extends Operation>(operation: O, input: InputOf<O>, given: CallOptions = {}) {
    const done = activity.begin();
    try {
      const answer = await api.call(operation, input, given);
      const completion = completionIn(operation, input, answer, now());
      if (completion !== undefined) note({ completion });
      return answer;
    } finally {
      done();
      const { changes: changed } = operation;
      const written = writtenBy(operation, input);
      if (changed.length > 0) note({ changed, ...(written === undefined ? {} : { written }) });
    }
  }

  return {
    start: () => {
      open().catch((error: unknown) => {
        log.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'the mirror could not be opened');
      });
    },
    api: { ...api, call },
    note,
    records: {
      orders: (period) => recordsFrom((records) => records.orders(period)),
      ordersOf: (buyers) => recordsFrom((records) => records.ordersOf(buyers)),
      students: () => recordsFrom((records) => records.students()),
    },
    query: async (...args) => await (await ready()).query(...args),
    csv: async (...args) => await (await ready()).csv(...args),
    coverage: async () => await (await ready()).coverage(),
    refresh: async (...args) => await (await ready()).refresh(...args),
    stopFilling: () => {
      isStopping = true;
      void opening?.then((mirror) => mirror.stopFilling()).catch(() => {});
    },
    close: async () => {
      isClosed = true;
      const mirror = await opening?.catch(() => undefined);
      await mirror?.close();
    },
  };
}
