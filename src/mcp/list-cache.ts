import type { Operation } from '../contract/operation.ts';
import { createTtlCache, type TtlCache } from '../shared/ttl-cache.ts';

/** The API sends some lists whole. A fetched one is kept this long for the next page, in milliseconds. */
const ttlMs = 60_000;
const maxEntries = 20;

/** Lists fetched whole, by operation and arguments. */
export type ListCache = TtlCache<object[]>;

export function createListCache(): ListCache {
  return createTtlCache({ ttlMs, maxEntries });
}

/** Under which a list is kept. */
export function listKey(operation: Operation, input: object): string {
  return `${operation.id} ${JSON.stringify(input)}`;
}
