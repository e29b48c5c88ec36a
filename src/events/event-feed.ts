import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { type EventName, eventNames } from '../contract/events.ts';
import { dayMs } from '../shared/durations.ts';
import { SettingsError } from '../shared/errors.ts';
import { checkPrivateFile } from '../shared/private-file.ts';
import { olderSegments } from '../shared/segmented-file.ts';
import { type EventLine, type ReceivedEvent, readLine } from './event.ts';

/** Events of one account in memory; older ones are forgotten. */
export const maxEvents = 5_000;
/** Keys that are remembered, so that a second delivery is not a second event. */
const maxKeys = 10_000;
/** Milliseconds until the same delivery counts as another event. */
const duplicateMs = dayMs;

/** What a line changed. */
interface EventChange {
  readonly kind: 'arrived' | 'checked';
  readonly event: EventName;
}

/** The events of one account, in the order of their lines. */
interface EventIndex {
  /** Adds a line. Undefined if it changes nothing: another account, a second delivery, a forgotten event. */
  add(line: EventLine): EventChange | undefined;
  isDuplicate(key: string, at: number): boolean;
  get(id: string): ReceivedEvent | undefined;
  /** The oldest first. */
  all(): readonly ReceivedEvent[];
}

function createEventIndex(account: string): EventIndex {
  const byId = new Map<string, ReceivedEvent>();
  const receivedAtOf = new Map<string, number>();
  let list: readonly ReceivedEvent[] | undefined;

  function isDuplicate(key: string, at: number): boolean {
    const before = receivedAtOf.get(key);
    return before !== undefined && Math.abs(at - before) < duplicateMs;
  }

  function forgetOldest(entries: Map<string, unknown>, limit: number): void {
    for (const oldest of entries.keys()) {
      if (entries.size <= limit) return;
      entries.delete(oldest);
    }
  }

  function store(event: ReceivedEvent): void {
    byId.set(event.id, event);
    list = undefined;
    forgetOldest(byId, maxEvents);
  }

  return {
    isDuplicate,
    get: (id) => byId.get(id),
    all: () => (list ??= [...byId.values()]),
    add: (line) => {
      if (line.account !== account) return undefined;
      if ('checks' in line) {
        const known = byId.get(line.checks);
        if (known === undefined) return undefined;
        const { state, why, facts, checked_at: checkedAt } = line;
        store({ ...known, finding: { state, why, facts, checkedAt } });
        return { kind: 'checked', event: known.event };
      }
      const { id, key, event, received_at: receivedAt, claims } = line;
      if (isDuplicate(key, receivedAt) || byId.has(id)) return undefined;
      receivedAtOf.delete(key);
      receivedAtOf.set(key, receivedAt);
      forgetOldest(receivedAtOf, maxKeys);
      store({ id, key, event, receivedAt, claims, finding: undefined });
      return { kind: 'arrived', event };
    },
  };
}

/** Receives the names of events that have arrived or have been checked. */
type EventListener = (names: ReadonlySet<EventName>) => void;

/** Milliseconds between two announcements: a flood of events is no flood of notifications. */
const gapMs = 1_000;

/** Tells listeners about events that have arrived or have been checked, at most once in each gap. */
function createAnnouncer(gap: number) {
  const listeners = new Set<EventListener>();
  let names = new Set<EventName>();
  let timer: NodeJS.Timeout | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;

  function flush(): void {
    timer = undefined;
    lastAt = performance.now();
    const changed = names;
    names = new Set();
    for (const listener of listeners) listener(changed);
  }

  return {
    announce: (name: EventName) => {
      names.add(name);
      timer ??= setTimeout(flush, Math.max(0, lastAt + gap - performance.now())).unref();
    },
    subscribe: (listener: EventListener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => clearTimeout(timer),
  };
}

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
  subscribe(listener: EventListener): () => void;
  close(): Promise<void>;
}

export interface EventFeedOptions {
  /** Key of the account. Events of other accounts in the same file are ignored. */
  account: string;
  /** Undefined: events are kept in memory. */
  file?: string | undefined;
  /** Names the file in errors; default: its setting. */
  setting?: string | undefined;
  now?: () => number;
  /** Multiplies the times of announcements: 1, or less in tests. */
  pace?: number | undefined;
}

/** Milliseconds between two looks for lines of other processes. */
const pollMs = 1_000;
/** The setting that names the file of the only account. */
export const eventsFileSetting = 'ACADEMY_EVENTS_FILE';

/** Bytes of one read, more than any file that this program writes. */
const maxRead = 8 * 2 ** 20;

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Returns the function that reads the lines that any process has added to the file since the last call, the oldest first. A
 * line that is not complete yet comes with a later call. A file that is renamed stays the same file, by its inode.
 */
function createEventReader(file: string, setting: string): () => EventLine[] {
  const positions = new Map<number, number>();

  function readNew(path: string): EventLine[] {
    let descriptor: number;
    try {
      descriptor = openSync(path, flags);
    } catch {
      // It is not there yet, has just been renamed, or is a symbolic link.
      return [];
    }
    try {
      const stats = fstatSync(descriptor);
      const known = positions.get(stats.ino) ?? 0;
      if (!stats.isFile() || stats.size === known) return [];
      // A shorter file is another one with the same inode, or a program such as logrotate has emptied it.
      const from = known < stats.size ? known : 0;
      const bytes = Buffer.alloc(Math.min(stats.size - from, maxRead));
      const length = readSync(descriptor, bytes, 0, bytes.length, from);
      const end = bytes.subarray(0, length).lastIndexOf('\n') + 1;
      // Bytes of another program, without a line in so many of them, are skipped.
      positions.set(stats.ino, from + (end === 0 && length === maxRead ? length : end));
      return bytes
        .subarray(0, end)
        .toString()
        .split('\n')
        .flatMap((text) => readLine(text) ?? []);
    } finally {
      closeSync(descriptor);
    }
  }

  checkPrivateFile(file, setting);
  try {
    readdirSync(dirname(file));
  } catch {
    throw new SettingsError(`${setting} names a file in a folder that cannot be read`);
  }
  function paths(): string[] {
    try {
      return [...olderSegments(file), file];
    } catch {
      // The folder is gone for now.
      return [];
    }
  }

  return () => paths().flatMap(readNew);
}

/** The parts of a feed, for an inbox that adds to it. */
export function openFeed({ account, file, setting = eventsFileSetting, now = Date.now, pace = 1 }: EventFeedOptions) {
  const index = createEventIndex(account);
  const announcer = createAnnouncer(gapMs * pace);
  const read = file === undefined ? () => [] : createEventReader(file, setting);
  const arrivals = new Set<() => void>();

  function add(line: EventLine): void {
    const change = index.add(line);
    if (change === undefined) return;
    announcer.announce(change.event);
    if (change.kind === 'arrived') for (const listener of arrivals) listener();
  }

  const refresh = () => {
    for (const line of read()) add(line);
  };
  // Whoever connects reads the list, so events from before the start are not announced.
  for (const line of read()) index.add(line);
  const timer = file === undefined ? undefined : setInterval(refresh, pollMs * pace).unref();

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
    },
  };
  return { feed, index, add, refresh, arrivals };
}

/** Follows a file that another process writes. Throws `SettingsError` if the file is unsafe. */
export function openEventFeed(options: EventFeedOptions & { file: string }): EventFeed {
  return openFeed(options).feed;
}
