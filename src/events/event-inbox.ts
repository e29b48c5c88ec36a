import { createHash } from 'node:crypto';
import type { EventName } from '../contract/events.ts';
import { dayMs } from '../shared/durations.ts';
import type { Json } from '../shared/json.ts';
import { openSegmentedFile } from '../shared/segmented-file.ts';
import { createTtlCache } from '../shared/ttl-cache.ts';
import { checkLineOf, type EventLine, type Finding, lineOf } from './event.ts';
import { type EventFeed, type EventFeedOptions, eventsFileSetting, maxEvents, openFeed } from './event-feed.ts';

/** `duplicate`: a delivery of an event that is stored already. `full`: too many wait for the disk. */
type Receipt = 'stored' | 'duplicate' | 'full';

/** A feed that takes new events. */
export interface EventInbox extends EventFeed {
  /** Resolves once the event is stored. Rejects if it cannot be. `key`: the same for each delivery of one event. */
  receive(event: EventName, claims: Json, key: string): Promise<Receipt>;
  /** Whether this process received the event. Another process that shares the file checks its own. */
  isOwn(id: string): boolean;
  /** Records what the API showed. */
  settle(id: string, finding: Finding): Promise<void>;
  /** Calls back when an event arrives. */
  onArrival(listener: () => void): void;
  /** Why events cannot be stored now; undefined if they can. */
  problem(): string | undefined;
}

/** Events that may wait for the disk. */
const maxWaiting = 1_000;

/** Anyone can read it, so it has no path: a code of the system, such as ENOSPC. */
function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^E[A-Z]+$/.test(code) ? code : 'the file cannot be written';
}

/** Accounts that share a file may get the same event in the same millisecond. */
function idOf(account: string, key: string, at: number): string {
  const hash = createHash('sha256').update(JSON.stringify([account, key]));
  return `${at.toString(36)}-${hash.digest('hex').slice(0, 16)}`;
}

/** Takes events, and shows those that other processes add to the same file. Throws `SettingsError` for an unsafe file. */
export function openEventInbox(options: EventFeedOptions): EventInbox {
  const { account, file, setting = eventsFileSetting, now = Date.now } = options;
  const writer = file === undefined ? undefined : openSegmentedFile(file, setting);
  const { feed, index, add, refresh, arrivals } = openFeed(options);
  const storing = new Map<string, Promise<void>>();
  const own = createTtlCache<true>({ ttlMs: dayMs, maxEntries: maxEvents });
  let problem: string | undefined;
  let closed: Promise<void> | undefined;

  async function store(line: EventLine): Promise<void> {
    if (writer === undefined) return add(line);
    try {
      await writer.append(line);
      problem = undefined;
    } catch (error) {
      problem = problemOf(error);
      throw error;
    }
    refresh();
  }

  async function receive(event: EventName, claims: Json, key: string): Promise<Receipt> {
    refresh();
    const receivedAt = now();
    const other = storing.get(key);
    // The sender of a duplicate must not hear that it is stored before it is.
    if (other !== undefined) return other.then(() => 'duplicate');
    if (index.isDuplicate(key, receivedAt)) return 'duplicate';
    if (storing.size >= maxWaiting) return 'full';
    const id = idOf(account, key, receivedAt);
    const stored = store(lineOf(account, { id, key, event, receivedAt, claims, finding: undefined }));
    own.set(id, true);
    storing.set(key, stored);
    await stored.finally(() => storing.delete(key));
    return 'stored';
  }

  async function close(): Promise<void> {
    await writer?.close();
    await feed.close();
  }

  return {
    ...feed,
    receive,
    isOwn: (id) => own.get(id) === true,
    settle: async (id, finding) => {
      if (index.get(id) !== undefined) await store(checkLineOf(account, id, finding));
    },
    onArrival: (listener) => void arrivals.add(listener),
    problem: () => problem,
    close: () => (closed ??= close()),
  };
}
