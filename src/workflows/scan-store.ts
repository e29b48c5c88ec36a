import type { Course } from '../insights/outline/course.ts';
import type { Store } from '../mcp/stores.ts';
import { createTtlCache, type TtlCache } from '../shared/ttl-cache.ts';
import type { OrderScan } from './sales/order-scan.ts';
import type { Completions } from './students/completions.ts';

// What long jobs have read, so that their next part need not read it again.

/** A person reads an answer before they ask for the next part of it. Milliseconds. */
const ttlMs = 5 * 60_000;
/** A person may think about a plan for longer. */
const planKeptFor = 60 * 60_000;
const maxEntries = 20;
const maxTitles = 500;

function keeping<Value>(options: { ttlMs: number; maxEntries: number }): Store<TtlCache<Value>> {
  return (now) => createTtlCache({ ...options, ...(now === undefined ? {} : { now }) });
}

/** Orders of a period. */
export const orderScans = keeping<OrderScan>({ ttlMs, maxEntries });

export const completionScans = keeping<Completions>({ ttlMs, maxEntries });

/** Courses as they were read, by id and version. */
export const readCourses = keeping<Course>({ ttlMs: planKeptFor, maxEntries });

/** Titles of products, by ref, as the API gave them. */
export const productTitles = keeping<string>({ ttlMs: planKeptFor, maxEntries: maxTitles });

/** Courses whose outline is being changed now. */
export const changingCourses: Store<Set<number>> = () => new Set();
