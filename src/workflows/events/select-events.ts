import { type ReceivedEvent, stateOf } from '../../events/event.ts';
import { readProducts } from '../../insights/sales/products-in-order.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import { composed } from '../../shared/clean-text.ts';
import type { Json } from '../../shared/json.ts';

export interface EventFilter {
  event?: ReceivedEvent['event'] | undefined;
  /** Milliseconds since 1970; includes this moment. */
  since?: number | undefined;
  email?: string | undefined;
  /** "course 7", or a part of the title. */
  product?: string | undefined;
}

/** The place of an event in the list of all events. A cursor holds it, so it may have been forged. */
export interface EventPlace {
  id: string;
  /** When it was received, in milliseconds since 1970. Counts if the event is forgotten. */
  at: number;
  /** Whether the events after it are asked for, instead of those before it. */
  newer: boolean;
}

interface EventWindow {
  /** In the order of the answer: the newest first, or the oldest first if newer events are asked for. */
  readonly events: readonly ReceivedEvent[];
  /** Events that fit the filter and are left in the same direction. */
  readonly left: number;
  /** The place from which a later call gets only events that this answer does not have. */
  readonly next: Omit<EventPlace, 'newer'>;
}

/** What is known of an event: the API's facts if it is verified, or else the claims of its sender. */
export function knownOf({ finding, claims }: ReceivedEvent): Json {
  return finding?.facts ?? claims;
}

function hasEmail(event: ReceivedEvent, email: string): boolean {
  const { email: own, user_email: buyer } = knownOf(event);
  return [own, buyer].some((known) => typeof known === 'string' && buyerKey(known) === buyerKey(email));
}

/** The products of an event, as "course 7" and title. */
function productsOf(received: ReceivedEvent): { ref: string; title?: string | undefined }[] {
  const { event, claims } = received;
  if (event === 'new_order') return [...readProducts(knownOf(received)).products];
  if (event !== 'course_completed') return [];
  const title = typeof claims.course === 'string' ? claims.course : undefined;
  return [{ ref: `course ${claims.course_id}`, title }];
}

function hasProduct(event: ReceivedEvent, product: string): boolean {
  const plain = (text: string) => composed(text.trim()).toLowerCase();
  const wanted = plain(product);
  return productsOf(event).some(({ ref, title = '' }) => ref === wanted || plain(title).includes(wanted));
}

/** An event that the API does not have is forged or gone, so it is not shown. */
function isShown(received: ReceivedEvent, { event, since, email, product }: EventFilter): boolean {
  if (stateOf(received) === 'discarded') return false;
  if (event !== undefined && received.event !== event) return false;
  if (since !== undefined && received.receivedAt < since) return false;
  if (email !== undefined && !hasEmail(received, email)) return false;
  return product === undefined || hasProduct(received, product);
}

/** The events before or after a place. A place that is forgotten is found by its time. */
function onSide(all: readonly ReceivedEvent[], { id, at, newer }: EventPlace): readonly ReceivedEvent[] {
  const index = all.findIndex((event) => event.id === id);
  if (index >= 0) return newer ? all.slice(index + 1) : all.slice(0, index);
  return all.filter(({ receivedAt }) => (newer ? receivedAt > at : receivedAt < at));
}

function placeOf(event: ReceivedEvent | undefined): Omit<EventPlace, 'newer'> | undefined {
  return event && { id: event.id, at: event.receivedAt };
}

/** The first `limit` events that fit, from a place on. `all`: the oldest first. */
export function selectEvents(
  all: readonly ReceivedEvent[],
  filter: EventFilter,
  limit: number,
  place: EventPlace | undefined,
): EventWindow {
  const newest = placeOf(all.at(-1)) ?? { id: '', at: 0 };
  if (place?.newer !== true) {
    const older = (place === undefined ? all : onSide(all, place)).filter((event) => isShown(event, filter)).reverse();
    return { events: older.slice(0, limit), left: Math.max(0, older.length - limit), next: newest };
  }
  const newer = onSide(all, place).filter((event) => isShown(event, filter));
  const events = newer.slice(0, limit);
  const left = newer.length - events.length;
  return { events, left, next: (left > 0 ? placeOf(events.at(-1)) : undefined) ?? (all.length > 0 ? newest : place) };
}
