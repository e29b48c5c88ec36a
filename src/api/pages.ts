import {
  addPage,
  addRefusal,
  claimedLast,
  isAtEnd,
  isFewer,
  newState,
  type PageContent,
  type PageState,
  problemOf,
} from './page-state.ts';

// The one rule by which lists are read page by page. Every loop over pages takes its page numbers from here.

/** Pages that one loop reads at most, of all its lists together: an API that invents pages must not hold a call for ever. */
export const maxPages = 2_000;

/** The pages of one list, as far as they have been read. */
export interface Pages {
  /** Pages that are to be read next, lowest first, at most so many. None at the end. */
  next(most: number): number[];
  /** Notes a page. Pages that were asked for at the same time are added in their order. */
  add(page: number, brought: PageContent): void;
  /** Notes that the API refused a page after the first, as some do beyond the last one. */
  refuse(page: number): void;
  /** Why the list is not known whole, although nothing is left to be read. */
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
  /** Whether nothing is left to be read. */
  isDone(): boolean;
  /** Whether reading came to an end before as many records were seen as the API counts. */
  isFewer(): boolean;
  /** Has a page read once more, and keeps what was seen on it. */
  reopen(page: number): void;
  /** Forgets what was read: the list has changed. */
  restart(): void;
}

export interface PagesOptions {
  /** What the list holds, for the reason of an early end: "orders". */
  readonly noun: string;
  /** Records of a full page, as they were asked for. A full page is never taken for the last one, whatever the API says. */
  readonly perPage?: number;
}

/** Pages that have not been read: those up to the last known one, and then one after the other until the end is certain. */
function* openPages(state: PageState): Generator<number> {
  if (state.problem !== undefined) return;
  const { done } = state;
  const last = Math.min(Math.max(claimedLast(state) ?? 0, ...done.keys()), maxPages);
  const open = Array.from({ length: last }, (_, index) => index + 1).filter((page) => !done.has(page));
  yield* open;
  // Only when these are read is it known whether there is another.
  if (open.length === 0 && last < maxPages && !isAtEnd(state)) yield last + 1;
}

export function createPages({ noun, perPage }: PagesOptions): Pages {
  let state = newState(perPage);
  let spent = 0;
  return {
    next: (most) => [...take(openPages(state), most)],
    add: (page, brought) => {
      spent += 1;
      addPage(state, page, brought, noun);
    },
    refuse: (page) => {
      spent += 1;
      addRefusal(state, page, noun);
    },
    problem: () => problemOf(state, noun),
    read: () => state.done.size,
    spent: () => spent,
    left: () => [...openPages(state)].length,
    isCounted: () => claimedLast(state) !== undefined,
    isLonger: () =>
      state.problem === undefined && (claimedLast(state) ?? state.done.size + 1) > maxPages && !isAtEnd(state),
    isDone: () => openPages(state).next().done === true,
    isFewer: () => state.problem === undefined && isFewer(state),
    reopen: (page) => void state.done.delete(page),
    restart: () => {
      state = newState(perPage);
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
export function nextPages<List extends { readonly pages: Pages }>(
  lists: readonly List[],
  most: number,
  perList: number = most,
): NextPage<List>[] {
  const room = Math.max(0, Math.min(most, allowed(lists.map(({ pages }) => pages))));
  const open = lists.flatMap((list) => list.pages.next(Math.min(perList, room)).map((page) => ({ list, page })));
  return open.sort((one, other) => one.page - other.page).slice(0, room);
}

/** Pages that a loop over these lists still has to read, and why it ended before the end of a list. */
export function remainingPages(lists: readonly { readonly pages: Pages }[]): {
  left: number;
  problem: string | undefined;
} {
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
