import type { Api } from '../api/api.ts';
import type { Freshness } from '../insights/freshness.ts';
import type { Course } from '../insights/outline/course.ts';
import type { KnownProduct } from '../insights/sales/products-in-order.ts';
import type { SoldOrder } from '../insights/sales/sold-order.ts';
import type { StudentsReading } from '../insights/students/select-students.ts';
import type { ShownPages } from '../mcp/output/pagination.ts';
import type { Store, Stores } from '../mcp/workflow-stores.ts';
import { createTtlCache, type TtlCache } from '../shared/ttl-cache.ts';
import type { OrderScan } from './sales/order-scan.ts';

// Caches what long jobs have read, so that their next part does not read it again.

/** The time to read an answer before requesting its next part. Milliseconds. */
export const ttlMs = 5 * 60_000;
/** The time to consider a plan. Milliseconds. */
export const planTtlMs = 60 * 60_000;
const maxEntries = 20;
const maxTitles = 500;
const maxLists = 100;

export function cacheOf<Value>(options: { ttlMs: number; maxEntries: number }): Store<TtlCache<Value>> {
  return (now) => createTtlCache({ ...options, now });
}

export const orderScans = cacheOf<OrderScan>({ ttlMs, maxEntries });

/** Percent by `completionKey`; the reason if the API refused it; undefined if it could not be read. */
export type Completions = Map<string, number | string | undefined>;

export const completionScans = cacheOf<Completions>({ ttlMs, maxEntries });

/** All students, for the next part of a list. */
export const studentLists = cacheOf<StudentsReading>({ ttlMs, maxEntries: 1 });

export interface OrdersOfPeople {
  /** When reading began. Milliseconds since 1970. */
  readonly begun: number;
  /** All orders of a person, of every status, by buyer. */
  readonly known: Map<string, readonly SoldOrder[]>;
  /** Buyers whose orders the API does not return in whole. */
  readonly refused: Set<string>;
  /** How fresh those are that the mirror gave. */
  copied: Freshness | undefined;
  /** The oldest answer of the API among them; undefined if the mirror gave all. */
  apiReadAt: Date | undefined;
}

export const ordersOfPeople = cacheOf<OrdersOfPeople>({ ttlMs, maxEntries });

export const readCourses = cacheOf<Course>({ ttlMs: planTtlMs, maxEntries });

/** The products that questions name, by question. */
export const foundProducts = cacheOf<KnownProduct>({ ttlMs: planTtlMs, maxEntries: maxTitles });

/** The days of access of products, by ref; null: no end. */
export const accessDays = cacheOf<number | null>({ ttlMs, maxEntries: maxTitles });

const pages = cacheOf<ShownPages>({ ttlMs, maxEntries: maxLists });

/** The shown pages of a list, for one tool and its arguments other than the page. */
export function shownPages(stores: Stores, key: string): ShownPages {
  const shown = stores.of(pages).get(key) ?? new Map<number, string>();
  stores.of(pages).set(key, shown);
  return shown;
}

/**
 * Saves the answers for the other replicas. `isElsewhere`: another replica has read the earlier parts, so its answers are
 * used, each once: a second read of the same page looks for changes.
 */
export function keepingAnswers(api: Api, isElsewhere: boolean): Api {
  const used = new Set<string>();
  return {
    call: (operation, input, options = {}) => {
      const key = `${operation.id} ${JSON.stringify(input)}`;
      const kept = isElsewhere && !used.has(key) ? 'use' : 'save';
      used.add(key);
      return api.call(operation, input, { ...options, kept });
    },
  };
}
