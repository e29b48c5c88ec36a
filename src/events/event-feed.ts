import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type EventName, eventNames } from '../contract/events.ts';
import { dayMs } from '../shared/durations.ts';
import { SettingsError } from '../shared/errors.ts';
import { checkPrivateFile } from '../shared/private-file.ts';
import type { EventLine, ReceivedEvent } from './event.ts';
import { createEventReader } from './event-file.ts';

/** Events of one account in memory; older ones are forgotten. */
export const maxEvents = 5_000;
/** Keys that are remembered, so that a second delivery is not a second event. */
const maxKeys = 10_000;
/** Milliseconds until the same delivery counts as another event. */
const duplicateMs = dayMs;

/** What a line changed. */
export interface EventChange {
  readonly kind: 'arrived' | 'checked';
  readonly id: string;
  readonly event: EventName;
  readonly isDiscarded: boolean;
}

/** The events of one account, in the order of their lines. */
export interface EventIndex {
  /** Adds a line. Undefined if it changes nothing: another account, a second delivery, a forgotten event. */
  add(line: EventLine): EventChange | undefined;
  isDuplicate(key: string, at: number): boolean;
  get(id: string): ReceivedEvent | undefined;
  /** The oldest first. */
  all(): readonly ReceivedEvent[];
}

export function createEventIndex(account: string): EventIndex {
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
        return { kind: 'checked', id: known.id, event: known.event, isDiscarded: state === 'discarded' };
      }
      const { id, key, event, received_at: receivedAt, claims } = line;
      if (isDuplicate(key, receivedAt) || byId.has(id)) return undefined;
      receivedAtOf.delete(key);
      receivedAtOf.set(key, receivedAt);
      forgetOldest(receivedAtOf, maxKeys);
      store({ id, key, event, receivedAt, claims, finding: undefined });
      return { kind: 'arrived', id, event, isDiscarded: false };
    },
  };
}

/** Times in milliseconds. */
export const announceTimes = {
  /** How long an event waits for its check before it is announced without one. */
  checkMs: 10_000,
  /** The shortest time between two announcements. */
  gapMs: 1_000,
};

/** Receives the names of events that have arrived or have been checked. */
type EventListener = (names: ReadonlySet<EventName>) => void;

/** Tells listeners about new events, seldom enough that a flood of events is no flood of notifications. */
export interface Announcer {
  changed(change: EventChange): void;
  subscribe(listener: EventListener): () => void;
  stop(): void;
}

/** Events whose check is awaited. More are announced at once. */
const maxAwaited = 1_000;

export function createAnnouncer({ checkMs, gapMs } = announceTimes): Announcer {
  const listeners = new Set<EventListener>();
  const awaited = new Map<string, NodeJS.Timeout>();
  let names = new Set<EventName>();
  let timer: NodeJS.Timeout | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;

  function flush(): void {
    timer = undefined;
    lastAt = performance.now();
    const told = names;
    names = new Set();
    for (const listener of listeners) listener(told);
  }

  function announce(name: EventName): void {
    names.add(name);
    timer ??= setTimeout(flush, Math.max(0, lastAt + gapMs - performance.now())).unref();
  }

  function stopWaiting(id: string): boolean {
    clearTimeout(awaited.get(id));
    return awaited.delete(id);
  }

  return {
    changed: ({ kind, id, event, isDiscarded }) => {
      if (kind === 'checked') {
        const isUnannounced = stopWaiting(id);
        // Listeners have seen an event that was announced before its check, so they hear that it is gone.
        if (!isDiscarded || !isUnannounced) announce(event);
      } else if (awaited.size >= maxAwaited) announce(event);
      else {
        const giveUp = () => {
          awaited.delete(id);
          announce(event);
        };
        awaited.set(id, setTimeout(giveUp, checkMs).unref());
      }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => {
      clearTimeout(timer);
      for (const waiting of awaited.values()) clearTimeout(waiting);
      awaited.clear();
    },
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
  subscribe: Announcer['subscribe'];
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

/** Names the setting if the folder of the file cannot be read. */
function openReader(file: string, setting: string) {
  checkPrivateFile(file, setting);
  try {
    readdirSync(dirname(file));
  } catch {
    throw new SettingsError(`${setting} names a file in a folder that cannot be read`);
  }
  return createEventReader(file);
}

/** The parts of a feed, for an inbox that adds to it. */
export function openFeed({ account, file, setting = eventsFileSetting, now = Date.now, pace = 1 }: EventFeedOptions) {
  const index = createEventIndex(account);
  const { checkMs, gapMs } = announceTimes;
  const announcer = createAnnouncer({ checkMs: checkMs * pace, gapMs: gapMs * pace });
  const reader = file === undefined ? undefined : openReader(file, setting);
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
