import type { Completions, Refusals } from '../api/completions.ts';
import type { OrderScan } from '../api/order-scan.ts';
import type { StatusFilter } from '../api/status-filter.ts';
import type { Course } from '../insights/outline/course.ts';
import { createKept, type Kept } from './kept.ts';
import type { ShownPages } from './page-proof.ts';

/** What long jobs have read, so that their next part need not read it again. */
export interface Jobs {
  /** Orders of a period. */
  readonly scans: Kept<OrderScan>;
  readonly completions: Kept<{ readonly known: Completions; readonly refusals: Refusals }>;
  /** Courses as they were read, by id and version. */
  readonly courses: Kept<Course>;
  /** Titles of products, by ref, as the API gave them. */
  readonly titles: Kept<string>;
  /** Pages of lists that were shown, by tool and arguments. */
  readonly pages: Kept<ShownPages>;
  readonly statusFilter: StatusFilter;
  /** Courses whose outline is being changed now. */
  readonly changing: Set<number>;
}

/** A person reads an answer before they ask for the next part of it. Milliseconds. */
const keptFor = 5 * 60_000;
/** A person may think about a plan for longer. */
const planKeptFor = 60 * 60_000;
const mostKept = 20;
const mostTitles = 500;
const mostLists = 100;

/** `now` in milliseconds, on any clock that goes forward. */
export function createJobs(now?: () => number): Jobs {
  const options = { keptFor, mostKept, ...(now === undefined ? {} : { now }) };
  return {
    scans: createKept(options),
    completions: createKept(options),
    courses: createKept({ ...options, keptFor: planKeptFor }),
    titles: createKept({ ...options, keptFor: planKeptFor, mostKept: mostTitles }),
    pages: createKept({ ...options, mostKept: mostLists }),
    statusFilter: { isProven: false },
    changing: new Set(),
  };
}

/** The pages of a list that were shown, kept from now on: those of one call of a tool, whatever its page. */
export function shownPages({ pages }: Jobs, asked: string): ShownPages {
  const shown = pages.get(asked) ?? new Map<number, string>();
  pages.set(asked, shown);
  return shown;
}
