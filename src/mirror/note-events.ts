import type { EventName } from '../contract/events.ts';
import { type ReceivedEvent, stateOf } from '../events/event.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { Refreshable } from '../mcp/data-mirror.ts';
import type { Noted } from './mirror.ts';

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
