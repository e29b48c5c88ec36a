import {
  addPage,
  addRefusal,
  claimedLastPage,
  isAtEnd,
  isFewer,
  listProblem,
  newPageState,
  type PageContent,
  type PageState,
} from './page-state.ts';

// The one rule for reading a list page by page. Every loop over pages takes its page numbers from here.

/** Most pages that one loop reads over all of its lists: an API that invents pages must not keep a call running. */
export const maxPages = 2_000;

/** The pages of one list that were read, and those to read next. */
export interface Pages {
  /** Pages to read next, lowest first, at most `maxCount`. Empty at the end. */
  next(maxCount: number): number[];
  /**
   * Adds a page. Add pages of one round in their order. False: the list changed while it was read, and all of it is read again,
   * so its records are to be forgotten. Happens once.
   */
  add(page: number, content: PageContent): boolean;
  /** Notes that the API refused a page after the first. Some do so beyond the last page. */
  refuse(page: number): void;
  /** Why the list may be incomplete although no page is left to read. */
  problem(): string | undefined;
  /** Pages read since the list was started again; the first page counts twice if it was read again. */
  read(): number;
  /** Pages read, those that were read twice included. */
  spent(): number;
  /** Pages that are known to exist and are not read yet, up to the cap. */
  left(): number;
  /** Whether the number of pages is known. */
  isCounted(): boolean;
  /** Whether the list continues beyond the cap, as far as is known. */
  isLonger(): boolean;
  /** Whether no page is left to read. */
  isDone(): boolean;
}

export interface PagesOptions {
  /** What the list holds, for messages: "orders". */
  readonly noun: string;
  /** Records per page, as requested. A full page is never treated as the last one, whatever the API says. */
  readonly perPage?: number;
  /** Reads the first page again after several pages: the others may have moved meanwhile. */
  readonly isRechecked?: true;
}

/** Number of the last page that is known to exist, up to the cap. */
const lastKnown = (state: PageState) => Math.min(Math.max(claimedLastPage(state) ?? 0, ...state.done.keys()), maxPages);

/** Pages to read: those up to the last known one, then one at a time until the end is certain. */
function* openPages(state: PageState): Generator<number> {
  if (state.problem !== undefined) return;
  const last = lastKnown(state);
  const open = Array.from({ length: last }, (_, index) => index + 1).filter((page) => !state.done.has(page));
  yield* open;
  // Only after these is it known whether another page exists.
  if (open.length === 0 && last < maxPages && !isAtEnd(state)) yield last + 1;
}

export function createPages({ noun, perPage, isRechecked }: PagesOptions): Pages {
  let state = newPageState(perPage);
  let spent = 0;
  let isSecond = false;
  const mustRecheck = () =>
    isRechecked === true && !state.isRechecked && state.problem === undefined && lastKnown(state) > 1;
  function* openNow() {
    const { done: isEnd } = openPages(state).next();
    yield* isEnd === true && mustRecheck() ? [1] : openPages(state);
  }
  return {
    next: (maxCount) => [...take(openNow(), maxCount)],
    add: (page, content) => {
      spent += 1;
      addPage(state, page, content, noun);
      const isChanged = isRechecked === true && (state.hasShifted || (state.problem === undefined && isFewer(state)));
      if (!isChanged || isSecond || openNow().next().done !== true) return true;
      state = newPageState(perPage);
      isSecond = true;
      return false;
    },
    refuse: (page) => {
      spent += 1;
      addRefusal(state, page, noun);
    },
    problem: () => listProblem(state, noun),
    read: () => state.done.size + (state.isRechecked ? 1 : 0),
    spent: () => spent,
    left: () => {
      const { length } = [...openPages(state)];
      return length + (mustRecheck() ? 1 : 0);
    },
    isCounted: () => claimedLastPage(state) !== undefined,
    isLonger: () =>
      state.problem === undefined && (claimedLastPage(state) ?? state.done.size + 1) > maxPages && !isAtEnd(state),
    isDone: () => openNow().next().done === true,
  };
}

function* take(pages: Iterable<number>, maxCount: number): Generator<number> {
  let taken = 0;
  for (const page of pages) {
    if (taken >= maxCount) return;
    taken += 1;
    yield page;
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);

/** Pages that the cap still allows for these lists. */
function allowed(lists: readonly Pages[]): number {
  return Math.max(0, maxPages - sum(lists.map((pages) => pages.spent())));
}

export interface NextPage<List> {
  readonly list: List;
  readonly page: number;
}

/**
 * The next round of a loop over lists: at most `maxCount` pages, lowest page numbers first, so no list waits for the end of
 * another. `maxPerList` limits how far a round reads ahead in one list.
 */
export function nextPages<List extends { readonly pages: Pages }>(
  lists: readonly List[],
  maxCount: number,
  maxPerList: number = maxCount,
): NextPage<List>[] {
  const room = Math.max(0, Math.min(maxCount, allowed(lists.map(({ pages }) => pages))));
  const open = lists.flatMap((list) => list.pages.next(Math.min(maxPerList, room)).map((page) => ({ list, page })));
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
