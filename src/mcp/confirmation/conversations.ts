import { createTtlCache } from '../../shared/ttl-cache.ts';
import type { Conversation } from '../tool.ts';

/** Where no session says what belongs together, it is what one caller does within this time, in milliseconds. */
const ttlMs = 30 * 60_000;
const maxEntries = 10_000;

/** The conversations of callers without sessions. */
export interface Conversations {
  of(caller: string): Conversation;
}

/** A conversation lives on for half an hour after it was last taken up. Which of them is forgotten first is the oldest. */
export function createConversations(now: () => number = () => performance.now()): Conversations {
  const kept = createTtlCache<Conversation>({ ttlMs, maxEntries, now });
  return {
    of: (caller) => {
      const conversation = kept.get(caller) ?? { hasUserContent: false };
      // Each time it is taken up, its half hour begins again.
      kept.set(caller, conversation);
      return conversation;
    },
  };
}
