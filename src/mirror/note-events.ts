import type { EventName } from '../contract/events.ts';
import { type ReceivedEvent, stateOf } from '../events/event.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { Refreshable } from '../mcp/data-mirror.ts';
import { minuteMs } from '../shared/durations.ts';
import type { Noted } from './mirror.ts';

/** What an event changes. The check of `course_completed` reads the percentage, which the mirror notes from its answer. */
const changedBy: Readonly<Partial<Record<EventName, Refreshable>>> = {
  new_student: 'students',
  new_order: 'orders',
  student_completed: 'completions',
};

/** The shortest time between two notes of a list that is always read whole. New orders take a request or two. Milliseconds. */
const pauseMs = 10 * minuteMs;
const pauseOf = (list: Refreshable) => (list === 'orders' ? 0 : pauseMs);

const verifiedIn = (events: readonly ReceivedEvent[]) => events.filter((event) => stateOf(event) === 'verified');

/**
 * Tells the mirror what to read again after events. Only after those that the API shows, too: anyone can send an event. Returns
 * the function that ends this.
 */
export function noteEvents(feed: EventFeed, note: (noted: Noted) => void): () => void {
  const idsOf = (events: readonly ReceivedEvent[]) => new Set(events.map(({ id }) => id));
  let known = idsOf(verifiedIn(feed.events()));
  const notedAt = new Map<Refreshable, number>();
  const waiting = new Map<Refreshable, NodeJS.Timeout>();

  function noteSoon(list: Refreshable): void {
    if (waiting.has(list)) return;
    const wait = (notedAt.get(list) ?? Number.NEGATIVE_INFINITY) + pauseOf(list) - performance.now();
    const noteNow = () => {
      waiting.delete(list);
      notedAt.set(list, performance.now());
      note({ changed: [list] });
    };
    waiting.set(list, setTimeout(noteNow, Math.max(0, wait)).unref());
  }

  const end = feed.subscribe(() => {
    const verified = verifiedIn(feed.events());
    const lists = verified.filter(({ id }) => !known.has(id)).flatMap(({ event }) => changedBy[event] ?? []);
    known = idsOf(verified);
    for (const list of new Set(lists)) noteSoon(list);
  });
  return () => {
    end();
    for (const timer of waiting.values()) clearTimeout(timer);
  };
}
