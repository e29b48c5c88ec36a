import type { SharedStore } from '../../shared/shared-store.ts';
import type { Conversation } from '../tool.ts';

/** A conversation is forgotten this long after its last call, in milliseconds. */
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
