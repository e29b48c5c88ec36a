import type { Operation } from '../contract/operation.ts';
import { createTtlCache, type TtlCache } from '../shared/ttl-cache.ts';

/** How long a list that the API sends whole is kept for its next page, in milliseconds. */
const ttlMs = 60_000;
const maxEntries = 20;
/** Records of all cached lists together: about 64 MiB. */
const maxRecords = 50_000;

export interface WholeList {
  readonly items: object[];
}

export type ListCache = TtlCache<WholeList>;

export function createListCache(): ListCache {
  return createTtlCache<WholeList>({ ttlMs, maxEntries, maxWeight: maxRecords, weigh: ({ items }) => items.length });
}

export const listKey = (operation: Operation, input: object): string => `${operation.id} ${JSON.stringify(input)}`;
