import type { EventName } from '../contract/events.ts';
import { dayMs } from '../shared/durations.ts';
import type { EventLine, ReceivedEvent } from './event.ts';

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
