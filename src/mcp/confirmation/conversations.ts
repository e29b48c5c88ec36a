import type { SharedStore } from '../../shared/shared-store.ts';
import { createTtlCache } from '../../shared/ttl-cache.ts';
import type { Conversation } from '../tool.ts';

/** A conversation is forgotten this long after its last call, in milliseconds. Without sessions, calls of one caller within it are one. */
const ttlMs = 30 * 60_000;

/**
 * A conversation that several replicas serve. Each loads before a call whether the assistant has read member-written
 * text, and saves it before the answer leaves. While that cannot be known, it counts as read.
 */
function shared(store: SharedStore, name: string): Conversation {
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

/**
 * Returns the conversation of a session or, without one, that of a caller: beyond `maxEntries` callers it forgets the oldest.
 * `store`: lets other replicas know of them.
 */
export function createConversations(store: SharedStore | undefined) {
  const begin = (name: string) => (store === undefined ? { hasUserContent: false } : shared(store, name));
  const kept = createTtlCache<Conversation>({ ttlMs, maxEntries });
  return (caller: string, session: string | undefined): Conversation => {
    if (session !== undefined) return begin(session);
    const conversation = kept.get(caller) ?? begin(`caller ${caller}`);
    // Each call restarts the half hour.
    kept.set(caller, conversation);
    return conversation;
  };
}
