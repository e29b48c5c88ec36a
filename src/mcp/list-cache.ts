import type { Operation } from '../contract/operation.ts';
import { memoryOf } from '../shared/memory-size.ts';
import { createTtlCache, type TtlCache } from '../shared/ttl-cache.ts';

/** How long a list that the API sends whole is kept for its next page, in milliseconds. */
const ttlMs = 60_000;
const maxEntries = 20;
/** Bytes of all cached lists together, estimated by `memoryOf`: one list may be as long as an answer of the API. */
const maxBytes = 64 * 2 ** 20;

/** Lists fetched whole, by operation and arguments. */
export type ListCache = TtlCache<object[]>;

export function createListCache(): ListCache {
  return createTtlCache<object[]>({ ttlMs, maxEntries, maxWeight: maxBytes, weigh: memoryOf });
}

/** The cache key of a list. */
export function listKey(operation: Operation, input: object): string {
  return `${operation.id} ${JSON.stringify(input)}`;
}
