import type { Course } from '../insights/outline/course.ts';
import { createKept, type Kept } from '../shared/ttl-cache.ts';
import type { OrderScan } from './sales/order-scan.ts';
import type { Completions } from './students/completions.ts';

/** What long jobs have read, so that their next part need not read it again. */
export interface Jobs {
  /** Orders of a period. */
  readonly scans: Kept<OrderScan>;
  readonly completions: Kept<Completions>;
  /** Courses as they were read, by id and version. */
  readonly courses: Kept<Course>;
  /** Titles of products, by ref, as the API gave them. */
  readonly titles: Kept<string>;
  /** Courses whose outline is being changed now. */
  readonly changing: Set<number>;
}

/** A person reads an answer before they ask for the next part of it. Milliseconds. */
const keptFor = 5 * 60_000;
/** A person may think about a plan for longer. */
const planKeptFor = 60 * 60_000;
const mostKept = 20;
const mostTitles = 500;

/** `now` in milliseconds, on any clock that goes forward. */
export function createJobs(now?: () => number): Jobs {
  const options = { keptFor, mostKept, ...(now === undefined ? {} : { now }) };
  return {
    scans: createKept(options),
    completions: createKept(options),
    courses: createKept({ ...options, keptFor: planKeptFor }),
    titles: createKept({ ...options, keptFor: planKeptFor, mostKept: mostTitles }),
    changing: new Set(),
  };
}
