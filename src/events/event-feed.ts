import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type EventName, eventNames } from '../contract/events.ts';
import { dayMs } from '../shared/durations.ts';
import { SettingsError } from '../shared/errors.ts';
import type { Json } from '../shared/json.ts';
import { checkPrivateFile } from '../shared/private-file.ts';
import { createTtlCache } from '../shared/ttl-cache.ts';
import { type Announcer, announceTimes, createAnnouncer } from './announcer.ts';
import { checkLineOf, type EventLine, type Finding, lineOf, type ReceivedEvent } from './event.ts';
import { createEventIndex, maxEvents } from './event-index.ts';
import { createEventReader } from './event-reader.ts';
import { openEventWriter } from './event-writer.ts';

/** The events of one account, for readers. */
export interface EventFeed {
  readonly account: string;
  /** Of all events that there can be. */
  readonly names: readonly EventName[];
  /** `memory`: events are lost when the process ends. */
  readonly keptIn: 'file' | 'memory';
  /** When this process began to receive or to read, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The oldest first. */
  events(): readonly ReceivedEvent[];
  /** Calls back after events have arrived or have been checked. Returns the function that ends this. */
  subscribe: Announcer['subscribe'];
  close(): Promise<void>;
}

/** `duplicate`: a delivery of an event that is stored already. `full`: too many wait for the disk. */
export type Receipt = 'stored' | 'duplicate' | 'full';

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

export interface EventFeedOptions {
  /** Key of the account. Events of other accounts in the same file are ignored. */
  account: string;
  /** Undefined: events are kept in memory. */
  file?: string | undefined;
  now?: () => number;
  /** Multiplies the times of announcements: 1, or less in tests. */
  pace?: number | undefined;
}

/** Events that may wait for the disk. */
const maxWaiting = 1_000;
/** Milliseconds between two looks for lines of other processes. */
const pollMs = 1_000;
const setting = 'ACADEMY_EVENTS_FILE';

/** Names the setting if the folder of the file cannot be read. */
function openReader(file: string) {
  checkPrivateFile(file, setting);
  try {
    readdirSync(dirname(file));
  } catch {
    throw new SettingsError(`${setting} names a file in a folder that cannot be read`);
  }
  return createEventReader(file);
}

/** Anyone can read it, so it has no path: a code of the system, such as ENOSPC. */
function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^E[A-Z]+$/.test(code) ? code : 'the file cannot be written';
}

function idOf(key: string, at: number): string {
  return `${at.toString(36)}-${key.slice(0, 16)}`;
}

function openFeed({ account, file, now = Date.now, pace = 1 }: EventFeedOptions) {
  const index = createEventIndex(account);
  const { checkMs, gapMs } = announceTimes;
  const announcer = createAnnouncer({ checkMs: checkMs * pace, gapMs: gapMs * pace });
  const reader = file === undefined ? undefined : openReader(file);
  const arrivals = new Set<() => void>();

  function add(line: EventLine): void {
    const change = index.add(line);
    if (change === undefined) return;
    announcer.changed(change);
    if (change.kind === 'arrived') for (const listener of arrivals) listener();
  }

  const refresh = () => {
    for (const line of reader?.read() ?? []) add(line);
  };
  // Whoever connects reads the list, so events from before the start are not announced.
  for (const line of reader?.read() ?? []) index.add(line);
  const timer = reader && setInterval(refresh, pollMs * pace).unref();

  const feed: EventFeed = {
    account,
    names: eventNames,
    keptIn: file === undefined ? 'memory' : 'file',
    startedAt: now(),
    events: index.all,
    subscribe: announcer.subscribe,
    close: async () => {
      clearInterval(timer);
      announcer.stop();
      reader?.close();
    },
  };
  return { feed, index, add, refresh, arrivals };
}

/** Follows a file that another process writes. Throws `SettingsError` if the file is unsafe. */
export function openEventFeed(options: EventFeedOptions & { file: string }): EventFeed {
  return openFeed(options).feed;
}

/** Takes events, and shows those that other processes add to the same file. Throws `SettingsError` for an unsafe file. */
export function openEventInbox(options: EventFeedOptions): EventInbox {
  const { account, file, now = Date.now } = options;
  const writer = file === undefined ? undefined : openEventWriter(file);
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
    const id = idOf(key, receivedAt);
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
