import type { EventName } from '../contract/events.ts';
import type { EventChange } from './event-index.ts';

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
