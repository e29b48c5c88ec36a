import { createHash } from 'node:crypto';
import { listClaims } from './http/answer-facts.ts';

// The one rule for reading a list page by page, and what its pages prove. Every loop takes its page numbers from here.

interface PageContent {
  readonly items: readonly { readonly id?: unknown }[];
  readonly totalPages: number | undefined;
  readonly total?: number | undefined;
  readonly perPage?: number | undefined;
}

type PageState = ReturnType<typeof newPageState>;

const newPageState = (size: number | undefined) => ({
  /** The number of records on each page that was read. */
  done: new Map<number, number>(),
  names: new Set<string>(),
  last: undefined as number | undefined,
  total: undefined as number | undefined,
  size,
  /** What says that another page follows the last one that was read. */
  more: undefined as string | undefined,
  /** The number of records that an answer states beside its documented total. */
  claimed: 0,
  /** Why a page is not whole, by its own answer. */
  partial: undefined as string | undefined,
  /** A page beyond the last record was read. */
  hasEnded: false,
  /** The records of the first page, in order, and the total that it gave. */
  first: undefined as { readonly names: readonly string[]; readonly total: number } | undefined,
  /** The total fell from one page to the next: a record left. */
  hasFallen: false,
  isRechecked: false,
  /** A record left while the pages were read, so the records behind it moved. */
  hasShifted: false,
  problem: undefined as string | undefined,
});

/** Identifies a record by its id, or without an id by its whole content. */
function recordKey(record: { readonly id?: unknown }): string {
  if (typeof record.id === 'string' || typeof record.id === 'number') return `id ${record.id}`;
  return createHash('sha256').update(JSON.stringify(record)).digest('base64url');
}

const isCountReached = ({ total, names }: PageState) => total === names.size;
/** A total below the number of records that were read is wrong. */
const hasTotal = ({ total = -1, names }: PageState) => total >= names.size;

/** If all pages have one length, the last one may be full, even if another length was requested. */
function isShort({ done, size }: PageState): boolean {
  const largest = Math.max(0, ...done.values());
  const full = done.size > 1 ? Math.min(size ?? largest, largest) : (size ?? largest);
  return (done.get(Math.max(...done.keys())) ?? 0) < full;
}

/** Whether no more pages can follow: all records that the API counts were read, or a page beyond the last record. */
function isAtEnd(state: PageState): boolean {
  if (state.hasEnded) return true;
  if (state.done.size === 0 || state.more !== undefined) return false;
  return (hasTotal(state) ? isCountReached(state) : (state.last ?? 0) > 0) && isShort(state);
}

/** The number of the last page as the API gives it, unless it is plainly wrong. */
function claimedLastPage({ last = 0, done }: PageState): number | undefined {
  return last >= 1 && last >= done.size ? last : undefined;
}

const lastKnown = (state: PageState) => Math.max(claimedLastPage(state) ?? 0, ...state.done.keys());

/** Pages left to read: those up to the last known one, then one at a time until the end is certain. */
function pagesLeft(state: PageState): number {
  if (state.problem !== undefined) return 0;
  return lastKnown(state) - state.done.size || (isAtEnd(state) ? 0 : 1);
}

/** New records on the first page moved the others back, and hide none. A total that does not fit shows that one left. */
function recheckFirst(state: PageState, names: readonly string[], total: number | undefined): void {
  const { names: before = [], total: totalBefore = 0 } = state.first ?? {};
  const known = names.filter((name) => state.names.has(name));
  const came = names.length - known.length;
  const isMovedOnly = known.every((name, index) => name === before[index]);
  for (const name of names) state.names.add(name);
  state.total = total ?? state.total;
  // If the total rose by the new records on this page, no other came or left. Without a total, they may hide a loss.
  const isAdded = came === (total ?? 0) - totalBefore;
  // Others may have come at the end of the list, where they were read.
  const isAppended = came === 0 && total === state.names.size;
  state.isRechecked = true;
  state.hasShifted = state.hasFallen || !isMovedOnly || !(isAdded || isAppended);
}

/** A page without a new record ends the list: the API repeats itself, or its number of pages is wrong. */
function endAt(state: PageState, page: number, isEmpty: boolean, noun: string): void {
  const { last = 0 } = state;
  state.hasEnded = true;
  if (isCountReached(state)) return;
  if (!isEmpty) state.problem ??= `page ${page} of the ${noun} only repeats records of the pages before it`;
  else if (page < last)
    state.problem ??= `page ${page} of the ${noun} is empty, although the API says that there are ${last} pages`;
}

function addPage(state: PageState, page: number, content: PageContent, noun: string): void {
  const { items, totalPages, total, perPage = 0 } = content;
  const claims = listClaims(items);
  const names = items.map(recordKey);
  const isNew = names.some((name) => !state.names.has(name));
  state.hasFallen ||= total !== undefined && total < (state.total ?? 0);
  if (page === 1 && state.first !== undefined) {
    recheckFirst(state, names, total);
    return;
  }
  if (page === 1) state.first = { names, total: total ?? 0 };
  for (const name of names) state.names.add(name);
  state.done.set(page, items.length);
  state.last = totalPages ?? claims.pages ?? state.last;
  if (page >= Math.max(...state.done.keys())) state.more = claims.more;
  state.claimed = Math.max(state.claimed, claims.total ?? 0);
  state.partial ??= claims.partial && `page ${page} of the ${noun} is not whole by its own answer: ${claims.partial}`;
  state.total = total ?? state.total;
  state.size = perPage < 1 ? state.size : perPage;
  if (!isNew) endAt(state, page, items.length === 0, noun);
}

/** Reading ended before it showed as many records as the API counts. */
const isFewer = ({ hasEnded, total = 0, names }: PageState) => hasEnded && total > names.size;

const sum = (numbers: Iterable<number>) => [...numbers].reduce((one, other) => one + other, 0);

function listProblem(state: PageState, noun: string): string | undefined {
  const { problem, partial, more, claimed, total, names } = state;
  if (problem !== undefined) return problem;
  if (state.hasShifted) return `the list of ${noun} changed while it was read; call again`;
  if (partial !== undefined) return partial;
  if (state.hasEnded && more !== undefined)
    return `the pages of the ${noun} ended, although the API says that more follow: ${more}`;
  // A record on two pages has moved. Without a total, another record may have moved out of sight.
  if (!hasTotal(state) && sum(state.done.values()) > names.size)
    return `some ${noun} were on two pages, so others may be on none`;
  if (isAtEnd(state) && claimed > names.size)
    return `an answer counts ${claimed} ${noun} and the pages showed ${names.size}`;
  return isFewer(state) ? `the API counts ${total} ${noun} and its pages showed ${names.size}` : undefined;
}

/** Concurrent requests of one job: as many as the limiter of a small account allows. */
export const maxConcurrentRequests = 4;

/** Most pages that one loop reads over all of its lists: an API that invents pages must not keep a call running. */
const maxPages = 2_000;

export type Pages = ReturnType<typeof createPages>;

interface PagesOptions {
  /** What the list holds, for messages: "orders". */
  readonly noun: string;
  /** Records per page, as requested. A full page is never treated as the last one, even if the API says so. */
  readonly perPage?: number;
  /** Reads the first page again after several pages: the others may have moved meanwhile. */
  readonly isRechecked?: true;
}

export function createPages({ noun, perPage, isRechecked }: PagesOptions) {
  let state = newPageState(perPage);
  let spent = 0;
  let isSecond = false;
  const mustRecheck = () =>
    isRechecked === true && !state.isRechecked && state.problem === undefined && lastKnown(state) > 1;
  const left = () => Math.min(maxPages, pagesLeft(state) + (mustRecheck() ? 1 : 0));
  return {
    /** Pages to read next, lowest first, at most `maxCount`. Empty at the end. */
    next: (maxCount: number): number[] => {
      const count = Math.min(maxCount, pagesLeft(state));
      if (pagesLeft(state) === 0 && mustRecheck()) return [1].slice(0, maxCount);
      const pages: number[] = [];
      for (let page = 1; pages.length < count; page += 1) if (!state.done.has(page)) pages.push(page);
      return pages;
    },
    /** Add the pages of a round in order. False, once: the list changed and is read again, so forget its records. */
    add: (page: number, content: PageContent): boolean => {
      spent += 1;
      addPage(state, page, content, noun);
      const isChanged = state.hasShifted || (state.problem === undefined && isFewer(state));
      if (isRechecked !== true || !isChanged || isSecond || left() > 0) return true;
      state = newPageState(perPage);
      isSecond = true;
      return false;
    },
    /** Notes that the API refused a page after the first. That is the end only if all records that it counts were read before. */
    refuse: (page: number): void => {
      spent += 1;
      state.hasEnded = true;
      if (isCountReached(state)) return;
      state.problem ??= `the API refused page ${page} of the ${noun}, which does not prove that they end there`;
    },
    /** Why the list may be incomplete although no page is left to read. */
    problem: () => listProblem(state, noun),
    /** Pages read since the list was started again; the first page counts twice if it was read again. */
    read: () => state.done.size + (state.isRechecked ? 1 : 0),
    /** Pages read, those that were read twice included. */
    spent: () => spent,
    /** Pages that are known to exist and are not read yet; one, if it is not known whether another exists. */
    left,
    isCounted: () => claimedLastPage(state) !== undefined,
  };
}

function allowed(lists: readonly { readonly pages: Pages }[]): number {
  return Math.max(0, maxPages - sum(lists.map(({ pages }) => pages.spent())));
}

export type NextPage<List> = { readonly list: List; readonly page: number };

/** The next round of a loop over lists, lowest page numbers first, so no list waits for the end of another. */
export function nextPages<List extends { readonly pages: Pages }>(
  lists: readonly List[],
  maxCount: number,
  maxPerList: number = maxCount,
): NextPage<List>[] {
  const room = Math.max(0, Math.min(maxCount, allowed(lists)));
  const open = lists.flatMap((list) => list.pages.next(Math.min(maxPerList, room)).map((page) => ({ list, page })));
  return open.sort((one, other) => one.page - other.page).slice(0, room);
}

/** Pages that a loop over these lists still has to read, and why it ended before the end of a list. */
export function remainingPages(lists: readonly { readonly pages: Pages }[]) {
  const problem = lists.map(({ pages }) => pages.problem()).find((text) => text !== undefined);
  const left = sum(lists.map(({ pages }) => pages.left()));
  const isCapped = allowed(lists) === 0 && left > 0;
  const cap = `reading ended after ${maxPages} pages, the most that one answer reads`;
  return { left: Math.min(left, allowed(lists)), problem: problem ?? (isCapped ? cap : undefined) };
}
