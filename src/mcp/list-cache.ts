import type { Operation } from '../contract/operation.ts';
import { createKept, type Kept } from '../shared/ttl-cache.ts';

/** The API sends some lists whole. A fetched one is kept this long for the next page, in milliseconds. */
const keptFor = 60_000;
const mostKept = 20;

/** Lists fetched whole, by operation and arguments. */
export type ListCache = Kept<object[]>;

export function createListCache(): ListCache {
  return createKept({ keptFor, mostKept });
}

/** Under which a list is kept. */
export function listKey(operation: Operation, input: object): string {
  return `${operation.id} ${JSON.stringify(input)}`;
}
