import { createHash } from 'node:crypto';

// What pages of a list prove of it. Pure, save for the state that is passed in.

/** What one page brought. Totals are those that the API names, where it does. */
export interface PageContent {
  readonly items: readonly { readonly id?: unknown }[];
  /** Number of the last page. */
  readonly totalPages: number | undefined;
  /** Number of all records of the list. */
  readonly total?: number | undefined;
  /** Records of a full page. */
  readonly perPage?: number | undefined;
}

export interface PageState {
  /** Number of records of each page that has been read. */
  readonly done: Map<number, number>;
  /** By what each record is known. */
  readonly names: Set<string>;
  last: number | undefined;
  total: number | undefined;
  size: number | undefined;
  /** A page beyond the last record was seen. */
  hasEnded: boolean;
  problem: string | undefined;
}

export const newState = (size: number | undefined): PageState => ({
  done: new Map(),
  names: new Set(),
  last: undefined,
  total: undefined,
  size,
  hasEnded: false,
  problem: undefined,
});

/** A record is known by its id, and one without an id by all that it says. */
function nameOf(record: { readonly id?: unknown }): string {
  if (typeof record.id === 'string' || typeof record.id === 'number') return `id ${record.id}`;
  return createHash('sha256').update(JSON.stringify(record)).digest('base64url');
}

/** A total of less than was seen is no total. */
function totalOf({ total, names }: PageState): number | undefined {
  return total !== undefined && total >= names.size ? total : undefined;
}

function isCountReached(state: PageState): boolean {
  const total = totalOf(state);
  return total !== undefined && state.names.size >= total;
}

/** Where all pages are of one length, the last one may be full, whatever length was asked for. */
function isShort({ done, size }: PageState): boolean {
  const counts = [...done.values()];
  const largest = counts.reduce((one, other) => Math.max(one, other), 0);
  const full = counts.length > 1 ? Math.min(size ?? largest, largest) : (size ?? largest);
  return (done.get(Math.max(...done.keys())) ?? 0) < full;
}

/** Whether nothing can follow the pages that were read: all that the API counts was seen, or a page beyond the last record. */
export function isAtEnd(state: PageState): boolean {
  if (state.hasEnded) return true;
  if (state.done.size === 0) return false;
  const isCounted = totalOf(state) === undefined ? (state.last ?? 0) > 0 : isCountReached(state);
  return isCounted && isShort(state);
}

/** The number of the last page, as far as the API names it and it is not plainly wrong. */
export function claimedLast({ last, done }: PageState): number | undefined {
  return last !== undefined && last >= 1 && last >= done.size ? last : undefined;
}

/** A page without a new record ends the list: the API repeats itself, or its number of pages is wrong. */
function problemWith(page: number, { items }: PageContent, state: PageState, noun: string): string | undefined {
  if (isCountReached(state)) return undefined;
  if (items.length > 0) return `page ${page} of the ${noun} only repeats what the pages before it held`;
  const last = state.last ?? 0;
  return page >= last
    ? undefined
    : `page ${page} of the ${noun} is empty, although the API says that there are ${last} pages`;
}

export function addPage(state: PageState, page: number, brought: PageContent, noun: string): void {
  const { items, totalPages, total, perPage } = brought;
  const names = items.map(nameOf);
  const isNew = names.some((name) => !state.names.has(name));
  for (const name of names) state.names.add(name);
  state.done.set(page, items.length);
  state.last = totalPages ?? state.last;
  state.total = total ?? state.total;
  state.size = perPage === undefined || perPage < 1 ? state.size : perPage;
  if (isNew) return;
  state.hasEnded = true;
  state.problem ??= problemWith(page, brought, state, noun);
}

/** The API refused a page that would lie beyond the last one: an end only where all that it counts was seen before. */
export function addRefusal(state: PageState, page: number, noun: string): void {
  state.hasEnded = true;
  if (isCountReached(state)) return;
  state.problem ??= `the API refused page ${page} of the ${noun}, which does not prove that they end there`;
}

/** Reading came to its end before as many records were seen as the API counts. */
export function isFewer(state: PageState): boolean {
  const total = totalOf(state);
  return state.hasEnded && total !== undefined && state.names.size < total;
}

/** Records that were on two pages pushed others out of sight, where no total shows that none is missing. */
function hasMoved(state: PageState): boolean {
  const rows = [...state.done.values()].reduce((sum, count) => sum + count, 0);
  return totalOf(state) === undefined && rows > state.names.size;
}

/** Why the list is not known whole, where reading has come to its end. */
export function problemOf(state: PageState, noun: string): string | undefined {
  const { problem, total, names } = state;
  if (problem === undefined && hasMoved(state)) return `some ${noun} were on two pages, so that others may be on none`;
  return problem ?? (isFewer(state) ? `the API counts ${total} ${noun} and its pages showed ${names.size}` : undefined);
}
