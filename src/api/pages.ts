import { createHash } from 'node:crypto';

// The one rule by which lists are read page by page. Every loop over pages takes its page numbers from here.

/** Pages that one loop reads at most, of all its lists together: an API that invents pages must not hold a call for ever. */
export const maxPages = 2_000;

/** What one page brought. */
export interface PageBrought {
  readonly items: readonly { readonly id?: unknown }[];
  /** Number of the last page, where the API says one. */
  readonly totalPages: number | undefined;
}

/** The pages of one list, as far as they have been read. */
export interface Pages {
  /** Pages that are to be read next, lowest first, at most so many. None at the end. */
  next(most: number): number[];
  /** Notes a page. Pages that were asked for at the same time are added in their order. */
  add(page: number, brought: PageBrought): void;
  /** Why reading ended before the end of the list. */
  problem(): string | undefined;
  /** Pages read since the last restart. */
  read(): number;
  /** Pages read, restarts included. */
  spent(): number;
  /** Pages that are known to be there and are still to be read; never more than the cap. */
  left(): number;
  /** Whether the number of pages is known. */
  isCounted(): boolean;
  /** Whether the list goes on where the cap ends, as far as is known. */
  isLonger(): boolean;
  /** Forgets what was read: the list has changed. */
  restart(): void;
}

export interface PagesOptions {
  /** What the list holds, for the reason of an early end: "orders". */
  readonly noun: string;
  /** Where the API does not say how many pages there are, a shorter page is the last one. Left out: only an empty page is. */
  readonly perPage?: number;
}

/** A record is known by its id, and one without an id by all that it says. */
function nameOf(record: { readonly id?: unknown }): string {
  if (typeof record.id === 'string' || typeof record.id === 'number') return `id ${record.id}`;
  return createHash('sha256').update(JSON.stringify(record)).digest('base64url');
}

interface State {
  readonly done: Set<number>;
  readonly names: Set<string>;
  last: number | undefined;
  problem: string | undefined;
}

const newState = (): State => ({ done: new Set(), names: new Set(), last: undefined, problem: undefined });

/** Pages from 1 to the last known one that have not been read. Counts no further than the cap, whatever the API claims. */
function* openPages({ done, last, problem }: State): Generator<number> {
  if (problem !== undefined) return;
  const end = Math.min(last ?? done.size + 1, maxPages);
  for (let page = 1; page <= end; page += 1) if (!done.has(page)) yield page;
}

function lastPage(page: number, { items, totalPages }: PageBrought, { last }: State, perPage: number | undefined) {
  if (totalPages !== undefined) return totalPages;
  const isEnd = items.length === 0 || (perPage !== undefined && items.length < perPage);
  return last ?? (isEnd ? page : undefined);
}

/** A page without a new record ends the list: the API repeats itself, or its number of pages is wrong. */
function problemWith(page: number, { items }: PageBrought, isNew: boolean, { last }: State, noun: string) {
  if (isNew) return undefined;
  if (items.length > 0) return `page ${page} of the ${noun} only repeats what the pages before it held`;
  return last === undefined || page >= last
    ? undefined
    : `page ${page} of the ${noun} is empty, although the API says that there are ${last} pages`;
}

export function createPages({ noun, perPage }: PagesOptions): Pages {
  let state = newState();
  let spent = 0;
  return {
    next: (most) => [...take(openPages(state), most)],
    add: (page, brought) => {
      spent += 1;
      state.done.add(page);
      const names = brought.items.map(nameOf);
      const isNew = names.some((name) => !state.names.has(name));
      for (const name of names) state.names.add(name);
      state.last = lastPage(page, brought, state, perPage);
      state.problem ??= problemWith(page, brought, isNew, state, noun);
    },
    problem: () => state.problem,
    read: () => state.done.size,
    spent: () => spent,
    left: () => [...openPages(state)].length,
    isCounted: () => state.last !== undefined,
    isLonger: () => state.problem === undefined && (state.last ?? state.done.size + 1) > maxPages,
    restart: () => {
      state = newState();
    },
  };
}

function* take(pages: Iterable<number>, most: number): Generator<number> {
  let taken = 0;
  for (const page of pages) {
    if (taken >= most) return;
    taken += 1;
    yield page;
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);

/** Pages that the cap still allows a loop over these lists. */
function allowed(lists: readonly Pages[]): number {
  return Math.max(0, maxPages - sum(lists.map((pages) => pages.spent())));
}

export interface NextPage<List> {
  readonly list: List;
  readonly page: number;
}

/**
 * The next round of a loop over lists: at most `most` pages, first pages first, so that no list waits for another to end.
 * `perList` keeps a round from reading ahead in one list.
 */
export function nextRound<List extends { readonly pages: Pages }>(
  lists: readonly List[],
  most: number,
  perList: number = most,
): NextPage<List>[] {
  const room = Math.max(0, Math.min(most, allowed(lists.map(({ pages }) => pages))));
  const open = lists.flatMap((list) => list.pages.next(Math.min(perList, room)).map((page) => ({ list, page })));
  return open.sort((one, other) => one.page - other.page).slice(0, room);
}

/** Pages that a loop over these lists still has to read, and why it ended before the end of a list. */
export function reached(lists: readonly { readonly pages: Pages }[]): { left: number; problem: string | undefined } {
  const all = lists.map(({ pages }) => pages);
  const problem = all.map((pages) => pages.problem()).find((text) => text !== undefined);
  const left = sum(all.map((pages) => pages.left()));
  const isCapped = allowed(all) === 0 && (left > 0 || all.some((pages) => pages.isLonger()));
  return {
    left: Math.min(left, allowed(all)),
    problem:
      problem ?? (isCapped ? `reading ended after ${maxPages} pages, the most that one answer reads` : undefined),
  };
}
