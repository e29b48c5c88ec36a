import type { CallOptions } from '../api/api.ts';
import type { EventName } from '../contract/events.ts';
import type { InputOf, Operation } from '../contract/operation.ts';
import { type ReceivedEvent, stateOf } from '../events/event.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { DataMirror, MirrorRecords, Refreshable } from '../mcp/data-mirror.ts';
import { stopping } from '../shared/shutdown.ts';
import { createActivity } from './fill/pace.ts';
import type { Mirror, MirrorOptions, Noted } from './mirror.ts';

/** What a write may have changed, even if it failed: whether it was done may be unknown. */
function changesOf({ changes: changed }: Operation, input: object): Noted {
  if (changed.length === 0) return {};
  const email = 'email' in input && typeof input.email === 'string' ? input.email : undefined;
  if (changed.includes('orders')) return { changed, written: { email } };
  // Orders show the present titles of their products.
  return changed.includes('catalog') && 'title' in input ? { changed, written: { email: undefined } } : { changed };
}

/** A mirror that is opened on first use: the database is never loaded before the first tools/list, question or write. */
export function createLazyMirror(options: Omit<MirrorOptions, 'activity'>) {
  const { api, log } = options;
  const activity = createActivity();
  let opening: Promise<Mirror> | undefined;
  /** The program ends: no statement is refused yet, but nothing more is filled. */
  let isStopping = false;
  let isClosed = false;
  /** Every question is answered after everything that was noted before. */
  let noting: Promise<unknown> = Promise.resolve();

  async function openNow(): Promise<Mirror> {
    const { openMirror } = await import('./mirror.ts');
    const mirror = await openMirror({ ...options, activity });
    if (isStopping) mirror.stopFilling();
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
    opening = lost.close().then(openNow);
    opening.catch(() => {});
    note({ written: { email: undefined } });
  }

  function note(noted: Noted): void {
    // A write opens it, since its file is older. What else there is to note comes when it is filled.
    const mirror = noted.written === undefined ? opening : open();
    const done = mirror?.then((one) => one.note(noted)).catch(() => {});
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
      return opening && (await ask((await ready()).records));
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'the mirror could not be read');
      return undefined;
    }
  }

  async function call<O extends Operation>(operation: O, input: InputOf<O>, given: CallOptions = {}) {
    const done = activity.begin();
    try {
      return await api.call(operation, input, given);
    } finally {
      done();
      const noted = changesOf(operation, input);
      if (noted.changed !== undefined) note(noted);
    }
  }

  const mirror: DataMirror = {
    records: {
      orders: (...asked) => recordsFrom((records) => records.orders(...asked)),
      ordersOf: (buyers) => recordsFrom((records) => records.ordersOf(buyers)),
      students: () => recordsFrom((records) => records.students()),
    },
    query: async (...args) => await (await ready()).query(...args),
    csv: async (...args) => await (await ready()).csv(...args),
    coverage: async () => await (await ready()).coverage(),
    refresh: async (...args) => await (await ready()).refresh(...args),
  };

  return {
    ...mirror,
    /** Opens it and begins to fill it, in the background. */
    start: () => {
      open().catch((error: unknown) => {
        log.error({ reason: error instanceof Error ? error.message : 'unknown' }, 'the mirror could not be opened');
      });
    },
    /** The API for the calls of people: the filling sends nothing meanwhile, and learns what they changed. */
    api: { ...api, call },
    note,
    /** Sends no more requests of its own, and still answers. */
    stopFilling: () => {
      isStopping = true;
      void opening?.then((one) => one.stopFilling()).catch(() => {});
    },
    close: async () => {
      isClosed = true;
      const one = await opening?.catch(() => undefined);
      await one?.close();
    },
  };
}

/**
 * What an event changes. The check of `course_completed` reads the percentage. A new student is found within ten minutes by
 * comparing the number of students: the list is long, so not every one of them makes it due.
 */
const changedBy: Readonly<Partial<Record<EventName, Refreshable>>> = {
  new_order: 'orders',
  student_completed: 'completions',
};

const verifiedIn = (events: readonly ReceivedEvent[]) => events.filter((event) => stateOf(event) === 'verified');

/**
 * Tells the mirror what to read again after events. Only after those that the API shows, too: anyone can send an event. Returns
 * the function that ends this.
 */
export function noteEvents(feed: EventFeed, note: (noted: Noted) => void): () => void {
  const idsOf = (events: readonly ReceivedEvent[]) => new Set(events.map(({ id }) => id));
  let known = idsOf(verifiedIn(feed.events()));
  return feed.subscribe(() => {
    const verified = verifiedIn(feed.events());
    const changed = verified.filter(({ id }) => !known.has(id)).flatMap(({ event }) => changedBy[event] ?? []);
    known = idsOf(verified);
    if (changed.length > 0) note({ changed });
  });
}
