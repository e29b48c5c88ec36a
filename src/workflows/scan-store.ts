import type { Course } from '../insights/outline/course.ts';
import type { Store } from '../mcp/stores.ts';
import { createKept, type Kept } from '../shared/ttl-cache.ts';
import type { OrderScan } from './sales/order-scan.ts';
import type { Completions } from './students/completions.ts';

// What long jobs have read, so that their next part need not read it again.

/** A person reads an answer before they ask for the next part of it. Milliseconds. */
const keptFor = 5 * 60_000;
/** A person may think about a plan for longer. */
const planKeptFor = 60 * 60_000;
const mostKept = 20;
const mostTitles = 500;

function keeping<Value>(options: { keptFor: number; mostKept: number }): Store<Kept<Value>> {
  return (now) => createKept({ ...options, ...(now === undefined ? {} : { now }) });
}

/** Orders of a period. */
export const orderScans = keeping<OrderScan>({ keptFor, mostKept });

export const completionScans = keeping<Completions>({ keptFor, mostKept });

/** Courses as they were read, by id and version. */
export const readCourses = keeping<Course>({ keptFor: planKeptFor, mostKept });

/** Titles of products, by ref, as the API gave them. */
export const productTitles = keeping<string>({ keptFor: planKeptFor, mostKept: mostTitles });

/** Courses whose outline is being changed now. */
export const changingCourses: Store<Set<number>> = () => new Set();
