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
  const kept = new Map<string, { conversation: Conversation; until: number }>();
  return {
    of: (caller) => {
      const known = kept.get(caller);
      const isFresh = known !== undefined && known.until > now();
      const conversation = isFresh ? known.conversation : { hasUserContent: false };
      // Set anew, so that the map's order is that of last use.
      kept.delete(caller);
      kept.set(caller, { conversation, until: now() + ttlMs });
      const [oldest] = kept.keys();
      if (kept.size > maxEntries && oldest !== undefined) kept.delete(oldest);
      return conversation;
    },
  };
}
