import type { SharedStore } from '../../shared/shared-store.ts';
import { createTtlCache } from '../../shared/ttl-cache.ts';
import type { Conversation } from '../tool.ts';
import { createSharedConversation } from './shared-conversation.ts';

/** Without sessions, calls of one caller within this time of each other are one conversation, in milliseconds. */
const ttlMs = 30 * 60_000;
const maxEntries = 10_000;

/** The conversations of callers without sessions. */
export interface Conversations {
  of(caller: string): Conversation;
}

/**
 * Forgets a conversation half an hour after its last call; beyond `maxEntries`, the oldest one. `store`: lets other
 * replicas know of them.
 */
export function createConversations(store?: SharedStore, now: () => number = () => performance.now()): Conversations {
  const begin = (caller: string) =>
    store === undefined ? { hasUserContent: false } : createSharedConversation(store, `caller ${caller}`);
  const kept = createTtlCache<Conversation>({ ttlMs, maxEntries, now });
  return {
    of: (caller) => {
      const conversation = kept.get(caller) ?? begin(caller);
      // Each call restarts the half hour.
      kept.set(caller, conversation);
      return conversation;
    },
  };
}
