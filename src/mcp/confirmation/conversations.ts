import type { SharedStore } from '../../shared/shared-store.ts';
import { createTtlCache } from '../../shared/ttl-cache.ts';
import type { Conversation } from '../tool.ts';

/** A conversation is forgotten this long after its last call, in milliseconds. Without sessions, calls of one caller within it are one. */
const ttlMs = 30 * 60_000;

/**
 * A conversation that several replicas serve. Each loads before a call whether the assistant has read member-written
 * text, and saves it before the answer leaves. While that cannot be known, it counts as read.
 */
export function createSharedConversation(store: SharedStore, name: string): Conversation {
  const key = `conversation ${name}`;
  const conversation: Conversation = {
    hasUserContent: false,
    load: async () => {
      const isRead = (await store.get(key)) !== undefined;
      if (isRead || !store.isShared()) conversation.hasUserContent = true;
    },
    save: async () => {
      if (conversation.hasUserContent) await store.set(key, 'read', ttlMs);
    },
  };
  return conversation;
}

const maxEntries = 10_000;

/** The conversations of callers without sessions. Beyond `maxEntries` it forgets the oldest. `store`: lets other replicas know of them. */
export function createConversations(store?: SharedStore) {
  const begin = (caller: string) =>
    store === undefined ? { hasUserContent: false } : createSharedConversation(store, `caller ${caller}`);
  const kept = createTtlCache<Conversation>({ ttlMs, maxEntries });
  return {
    of: (caller: string): Conversation => {
      const conversation = kept.get(caller) ?? begin(caller);
      // Each call restarts the half hour.
      kept.set(caller, conversation);
      return conversation;
    },
  };
}
