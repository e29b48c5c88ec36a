import type { SharedStore } from '../shared/shared-store.ts';
import type { AttemptResult } from './http/attempt-result.ts';

/** The time to read an answer before its next part is requested, in milliseconds. */
const ttlMs = 5 * 60_000;
/** Characters. A longer answer is read again. */
const maxText = 4_000_000;

/**
 * Answers of the API that another replica may need for the next part of a long answer. Nothing is kept for one process
 * alone, which caches what it made of them.
 */
export function createKeptAnswers(store: SharedStore) {
  const keyOf = (request: string) => `answer ${request}`;
  return {
    find: async (request: string): Promise<AttemptResult | undefined> => {
      if (!store.isShared()) return undefined;
      const found = await store.get(keyOf(request));
      return found && (JSON.parse(found.value) as AttemptResult);
    },
    save: async (request: string, result: AttemptResult): Promise<void> => {
      if (!store.isShared() || result.kind !== 'answered' || result.status !== 200) return;
      const text = JSON.stringify(result);
      if (text.length <= maxText) await store.set(keyOf(request), text, ttlMs);
    },
  };
}
