import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type EventName, eventNames } from '../contract/events.ts';
import { SettingsError } from '../shared/errors.ts';
import { checkPrivateFile } from '../shared/private-file.ts';
import { type Announcer, announceTimes, createAnnouncer } from './announcer.ts';
import type { EventLine, ReceivedEvent } from './event.ts';
import { createEventIndex } from './event-index.ts';
import { createEventReader } from './event-reader.ts';

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
