import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { type EventName, eventNames } from '../contract/events.ts';
import { dayMs } from '../shared/durations.ts';
import { SettingsError } from '../shared/errors.ts';
import type { Json } from '../shared/json.ts';
import { checkPrivateFile } from '../shared/private-file.ts';
import { olderSegments, openSegmentedFile } from '../shared/segmented-file.ts';
import { createTurns } from '../shared/turns.ts';
import { type Finding, type ReceivedEvent, readLine } from './event.ts';

/** Receives the names of events that have arrived or have been checked. */
type EventListener = (names: ReadonlySet<EventName>) => void;

export type EventFeed = ReturnType<typeof openFeed>['feed'];

export type EventInbox = ReturnType<typeof openEventInbox>;

export interface EventFeedOptions {
  account: string;
  /** A file of this account alone. Undefined: events are kept in memory. */
  file?: string | undefined;
  /** Names the file in errors; default: its setting. */
  setting?: string | undefined;
  now?: () => number;
  /** Multiplies the pauses between two looks for changes: 1, or less in tests. */
  pace?: number | undefined;
}

/** The setting that names the file of the only account. */
export const eventsFileSetting = 'ACADEMY_EVENTS_FILE';

/** Events of one account in memory; older ones are forgotten. */
const maxEvents = 5_000;
/** Milliseconds between two looks for lines of other processes, and between two calls of a listener. */
const lookMs = 1_000;

/** Bytes of one read, more than any file that this program writes. */
const maxRead = 8 * 2 ** 20;
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Undefined if there is no such file, or if it is a folder or a symbolic link. */
function openToRead(path: string): number | undefined {
  try {
    const descriptor = openSync(path, flags);
    if (fstatSync(descriptor).isFile()) return descriptor;
    closeSync(descriptor);
  } catch {}
  return undefined;
}

const inodeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino;

/** Reads the lines that any process has added since the last call. Throws `SettingsError` for an unsafe file. */
function createEventReader(file: string, setting: string): () => ReceivedEvent[] {
  checkPrivateFile(file, setting);
  try {
    olderSegments(file);
  } catch {
    throw new SettingsError(`${setting} names a file in a folder that cannot be read`);
  }
  /** The file that was read last, and how far. */
  let inode: number | undefined;
  let position = 0;

  /** A line that is not complete yet comes with a later call. */
  function readRest(path: string): ReceivedEvent[] {
    const descriptor = openToRead(path);
    if (descriptor === undefined) return [];
    const { ino, size } = fstatSync(descriptor);
    // Another file, or a program such as logrotate has emptied it.
    if (ino !== inode || size < position) position = 0;
    const from = Math.max(position, size - maxRead);
    const bytes = Buffer.alloc(size - from);
    readSync(descriptor, bytes, 0, bytes.length, from);
    closeSync(descriptor);
    const end = bytes.lastIndexOf('\n') + 1;
    [inode, position] = [ino, from + end];
    const texts = bytes.toString('utf8', 0, end).split('\n');
    return texts.flatMap((text) => readLine(text) ?? []);
  }

  return () => {
    if (inodeOf(file) === inode) return readRest(file);
    try {
      // A file that was renamed is read to its end before the new ones.
      const all = [...olderSegments(file), file];
      const known = all.findIndex((path) => inodeOf(path) === inode);
      return all.slice(Math.max(0, known)).flatMap(readRest);
    } catch {
      // The folder is away.
      return [];
    }
  };
}

/** The parts of a feed, for an inbox that adds to it. */
function openFeed({ account, file, setting = eventsFileSetting, now = Date.now, pace = 1 }: EventFeedOptions) {
  const read = file === undefined ? () => [] : createEventReader(file, setting);
  // In the order of their first lines.
  const byId = new Map<string, ReceivedEvent>();
  const listeners = new Set<EventListener>();
  const changed = new Set<EventName>();

  function add(event: ReceivedEvent): void {
    byId.set(event.id, event);
    changed.add(event.event);
    if (byId.size > maxEvents) for (const id of [...byId.keys()].slice(0, -maxEvents)) byId.delete(id);
  }

  const refresh = () => read().forEach(add);
  refresh();
  // A client that connects reads the list, so events from before the start are not announced.
  changed.clear();
  const timer = setInterval(() => {
    refresh();
    if (changed.size === 0) return;
    const names = new Set(changed);
    changed.clear();
    for (const listener of listeners) listener(names);
  }, lookMs * pace).unref();

  const feed = {
    account,
    names: eventNames,
    /** `memory`: events are lost when the process ends. */
    keptIn: file === undefined ? ('memory' as const) : ('file' as const),
    /** When this process began to receive or to read, in milliseconds since 1970. */
    startedAt: now(),
    /** The oldest first. */
    events: (): readonly ReceivedEvent[] => [...byId.values()],
    /** Calls back after events have arrived or have been checked, at most once a second. Returns the function that ends this. */
    subscribe: (listener: EventListener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => clearInterval(timer),
  };
  return { feed, byId, add, refresh };
}

/** Follows a file that another process writes. Throws `SettingsError` if the file is unsafe. */
export function openEventFeed(options: EventFeedOptions & { file: string }): EventFeed {
  return openFeed(options).feed;
}

/** Takes events, and shows those that other processes add to the same file. Throws `SettingsError` for an unsafe file. */
export function openEventInbox(options: EventFeedOptions) {
  const { file, setting = eventsFileSetting, now = Date.now } = options;
  const writer = file === undefined ? undefined : openSegmentedFile(file, setting);
  const { feed, byId, add, refresh } = openFeed(options);
  const own = randomBytes(6).toString('hex');
  const turn = createTurns();
  let received = 0;
  let isFailing = false;
  let closed: Promise<void> | undefined;

  async function store(event: ReceivedEvent): Promise<void> {
    if (writer === undefined) return add(event);
    await writer.append(event).catch((error: unknown) => {
      isFailing = true;
      throw error;
    });
    isFailing = false;
    refresh();
  }

  async function accept(event: EventName, claims: Json, key: string): Promise<'stored' | 'duplicate'> {
    refresh();
    const receivedAt = now();
    const isKnown = feed.events().some((one) => one.key === key && receivedAt - one.receivedAt < dayMs);
    if (isKnown) return 'duplicate';
    received += 1;
    await store({ id: `${own}-${received.toString(36)}`, key, event, receivedAt, claims });
    return 'stored';
  }

  async function close(): Promise<void> {
    await turn(async () => {});
    await writer?.close();
    await feed.close();
  }

  return {
    ...feed,
    /** Resolves once it is stored, one after the other: a duplicate's sender must not hear "stored" before it is. */
    receive: (event: EventName, claims: Json, key: string) => turn(() => accept(event, claims, key)),
    /** Whether this process received the event. Another process that shares the file checks its own. */
    isOwn: ({ id }: ReceivedEvent) => id.startsWith(`${own}-`),
    settle: async (event: ReceivedEvent, finding: Finding, checkedAt: number) => {
      if (byId.has(event.id)) await store({ ...event, finding: { ...finding, checkedAt } });
    },
    isFailing: () => isFailing,
    close: () => (closed ??= close()),
  };
}
