import type { Course } from '../insights/outline/course.ts';
import type { ShownPages } from '../mcp/output/page-completeness.ts';
import type { Store, Stores } from '../mcp/workflow-stores.ts';
import { createTtlCache, type TtlCache } from '../shared/ttl-cache.ts';
import type { OrderScan } from './sales/order-scan.ts';
import type { Completions, Refusals } from './students/completion-batch.ts';
import type { StatusFilter } from './students/status-filter.ts';

// What long jobs have read, so that their next part need not read it again.

/** A person reads an answer before they ask for the next part of it. Milliseconds. */
const ttlMs = 5 * 60_000;
/** A person may think about a plan for longer. */
const planKeptFor = 60 * 60_000;
const maxEntries = 20;
const maxTitles = 500;
const maxLists = 100;

function keeping<Value>(options: { ttlMs: number; maxEntries: number }): Store<TtlCache<Value>> {
  return (now) => createTtlCache({ ...options, ...(now === undefined ? {} : { now }) });
}

/** Orders of a period. */
export const orderScans = keeping<OrderScan>({ ttlMs, maxEntries });

export const completionScans = keeping<{ readonly known: Completions; readonly refusals: Refusals }>({
  ttlMs,
  maxEntries,
});

/** Courses as they were read, by id and version. */
export const readCourses = keeping<Course>({ ttlMs: planKeptFor, maxEntries });

/** Titles of products, by ref, as the API gave them. */
export const productTitles = keeping<string>({ ttlMs: planKeptFor, maxEntries: maxTitles });

/** Pages of lists that were shown, by tool and arguments. */
const pages = keeping<ShownPages>({ ttlMs, maxEntries: maxLists });

/** What is known of the platform's filter by status. */
export const statusFilterSeen: Store<StatusFilter> = () => ({ isProven: false });

/** Courses whose outline is being changed now. */
export const changingCourses: Store<Set<number>> = () => new Set();

/** The pages of a list that were shown, kept from now on: those of one call of a tool, whatever its page. */
export function shownPages(stores: Stores, asked: string): ShownPages {
  const shown = stores.of(pages).get(asked) ?? new Map<number, string>();
  stores.of(pages).set(asked, shown);
  return shown;
}
