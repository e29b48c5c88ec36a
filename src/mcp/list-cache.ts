import type { Operation } from '../contract/operation.ts';
import { createTtlCache, type TtlCache } from '../shared/ttl-cache.ts';

/** Bytes of a value in addition to the characters of its text, as measured for records of the API. */
const bytesPerValue = 40;

/** Estimates the bytes of memory that a JSON value takes. */
export function memoryOf(json: unknown): number {
  let bytes = 0;
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    bytes += bytesPerValue + (typeof value === 'string' ? value.length : 0);
    if (typeof value !== 'object' || value === null) continue;
    for (const entry of Object.values(value)) open.push(entry);
  }
  return bytes;
}

/** How long a list that the API sends whole is kept for its next page, in milliseconds. */
const ttlMs = 60_000;
const maxEntries = 20;
/** Bytes of all cached lists together, estimated by `memoryOf`: one list may be as long as an answer of the API. */
const maxBytes = 64 * 2 ** 20;

/** An answer with a list that the API sends whole. */
export interface WholeList {
  readonly items: object[];
}

/** Lists fetched whole, by operation and arguments. */
export type ListCache = TtlCache<WholeList>;

export function createListCache(): ListCache {
  return createTtlCache<WholeList>({ ttlMs, maxEntries, maxWeight: maxBytes, weigh: memoryOf });
}

export function listKey(operation: Operation, input: object): string {
  return `${operation.id} ${JSON.stringify(input)}`;
}
