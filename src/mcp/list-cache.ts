import type { Operation } from '../contract/operation.ts';
import { memoryOf } from '../shared/memory-size.ts';
import { createTtlCache, type TtlCache } from '../shared/ttl-cache.ts';

/** The API sends some lists whole. A fetched one is kept this long for the next page, in milliseconds. */
const ttlMs = 60_000;
const maxEntries = 20;
/** Bytes of all kept lists together, as `memoryOf` estimates them: one may be as long as an answer of the API. */
const maxBytes = 64 * 2 ** 20;

/** Lists fetched whole, by operation and arguments. */
export type ListCache = TtlCache<object[]>;

export function createListCache(): ListCache {
  return createTtlCache<object[]>({ ttlMs, maxEntries, maxWeight: maxBytes, weigh: memoryOf });
}

/** Under which a list is kept. */
export function listKey(operation: Operation, input: object): string {
  return `${operation.id} ${JSON.stringify(input)}`;
}
