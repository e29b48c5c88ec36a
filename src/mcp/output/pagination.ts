import { createHash } from 'node:crypto';
import { hasUnreadable, type Unreadable, unreadableText } from '../../insights/unreadable.ts';
import { isObject, type Json } from '../../shared/json.ts';
import type { Part, Presented } from '../tool.ts';
import { pageTable } from './text-format.ts';

export interface PageFacts {
  page: number;
  total_pages?: number | undefined;
  total?: number | undefined;
  next_page?: number | undefined;
}

/** "40 of 812 orders (page 2 of 21)." */
function pageSummary(records: number, noun: string, { page, total_pages: pages, total }: PageFacts): string {
  const of = total === undefined ? '' : ` of ${total}`;
  return `${records}${of} ${noun} (page ${page}${pages === undefined ? '' : ` of ${pages}`}).`;
}

/** How to read on after the first `shown` records of a page. Pages begin at multiples of their size, so a few less may be shown. */
function restOfPage(page: number, size: number, most: number) {
  const start = (page - 1) * size;
  const smallest = Math.max(1, Math.ceil(most / 2));
  const sizes = Array.from({ length: most - smallest + 1 }, (_, index) => most - index);
  const choices = sizes.map((next) => ({ next, shown: most - ((start + most) % next) }));
  const best = choices.reduce((one, other) => (other.shown > one.shown ? other : one));
  return { shown: best.shown, page: (start + best.shown) / best.next + 1, size: best.next };
}

/** Why a page has no rows, if the API's counts show it. */
function emptyPageNote({ page, total_pages: pages, total }: PageFacts, noun: string): string | undefined {
  if (total === 0) return undefined;
  if (pages !== undefined && pages > 0 && page > pages)
    return `page ${page} is beyond the last page of the ${noun}, ${pages}`;
  return page > 1 ? `page ${page} of the ${noun} is empty: it is beyond the last page` : undefined;
}

interface Page {
  /** The key of the rows in the answer, which is also their noun. */
  list: string;
  rows: readonly Json[];
  columns: readonly string[];
  /** Values that the question fixes for every row. */
  fixed?: Json;
  facts: PageFacts;
  /** Records of a full page, as `per_page` asks for them. */
  size: number;
  /** Fields in which few rows differ. */
  usual?: readonly string[];
  beside?: Json;
  problem?: string | undefined;
  unreadable?: Unreadable;
}

export const lostText = (lost: number) =>
  lost > 0 ? `${lost} entries are not records and could not be read` : undefined;

/** An answer that is incomplete for these reasons, if there is one: its first words and its first field say so. */
export function incompleteFor(reasons: readonly (string | undefined)[], { summary, data }: Part, facts?: Json): Part {
  const why = reasons.filter(Boolean).join('; ');
  if (why === '') return { summary, data };
  const { coverage: own, ...others } = data;
  const coverage = { ...(isObject(own) ? own : {}), complete: false, ...(facts ?? { stopped: why }) };
  return { summary: `Incomplete (${why}): ${summary}`, data: { coverage, ...others } };
}

/** The answer of a list that the API pages by `page` and `per_page`. */
export function presentPage(page: Page): Presented {
  const { list, rows, columns, fixed, facts, size, usual = [], beside = {}, problem, unreadable = {} } = page;
  const doubts = [problem, unreadableText(unreadable)];
  const why = rows.length === 0 && !doubts.some(Boolean) ? emptyPageNote(facts, list) : undefined;
  const { note = why, ...others } = beside;
  const coverage = { unreadable: hasUnreadable(unreadable) ? unreadable : undefined, stopped: problem };
  const answer = (count: number, shown: Partial<PageFacts>) => {
    const summary = pageSummary(count, list, facts);
    return incompleteFor(
      doubts,
      { summary, data: { note, ...others, ...shown, [list]: rows.slice(0, count) } },
      coverage,
    );
  };
  const to = (most: number) => {
    const { shown, page: next, size: perPage } = restOfPage(facts.page, size, most);
    // The next page would skip the records that do not fit.
    const part = answer(shown, { ...facts, next_page: undefined });
    return { ...part, shown, how: `go on with per_page ${perPage}, page ${next}` };
  };
  const tables = { [list]: pageTable(rows, columns, fixed) };
  return { ...answer(rows.length, facts), tables, short: { list, usual }, cut: { records: rows.length, to } };
}

/** A hash of the records of each page that was shown, by page number. */
export type ShownPages = Map<number, string>;

interface FetchedPage {
  readonly page: number;
  /** Records of a full page, as requested. */
  readonly size: number;
  /** The paging part of the API's meta; any of it may be missing. */
  readonly meta: { current_page?: number | undefined; total_pages?: number | undefined } | undefined;
  /** Records of the whole list, by the API. */
  readonly total: number | undefined;
  /** Entries of the page that are not records. */
  readonly lost?: number;
  /** The records of the page, as the API sent them. */
  readonly records: readonly { readonly id?: unknown }[];
}

function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

function pageDigest(records: FetchedPage['records']): string {
  const names = records.map((record) => record.id ?? record);
  return createHash('sha256').update(JSON.stringify(names)).digest('base64url');
}

function samePage(page: number, records: FetchedPage['records'], shown: ShownPages): number | undefined {
  const name = pageDigest(records);
  const same = [...shown].find(([other, held]) => other !== page && held === name);
  shown.set(page, name);
  return records.length === 0 ? undefined : same?.[0];
}

/** Whether a page is short and whether another one follows, by the total of the list. */
function byTotal({ page, size, records, lost = 0 }: FetchedPage, total: number) {
  const start = (page - 1) * size;
  const expected = Math.max(0, Math.min(size, total - start));
  const came = records.length + lost;
  const isShort = came < expected;
  return { isShort, hasMore: isShort ? came > 0 : start + came < total, expected };
}

/** The total, unless it is less than the records up to this page. */
function believedTotal({ page, size, records, total }: FetchedPage): number | undefined {
  const least = records.length === 0 ? 0 : (page - 1) * size + records.length;
  const count = countIn(total);
  return count !== undefined && count >= least ? count : undefined;
}

/**
 * Whether another page follows, and the problem if records may be missing. If the API's total is missing or contradicts the records,
 * only an empty page is the end. Adds the page to `shown`: the records of another page show that the API does not page on.
 */
export function verifyPage(
  question: FetchedPage,
  shown: ShownPages,
): { readonly facts: PageFacts; readonly problem: string | undefined } {
  const { page, meta, total, records, lost = 0 } = question;
  const pages = countIn(meta?.total_pages);
  const beside = { page, total_pages: pages, total: countIn(total) };
  const same = samePage(page, records, shown);
  if (same !== undefined) {
    return { facts: beside, problem: `page ${page} has the same records as page ${same}: the API does not page on` };
  }
  const believed = believedTotal(question);
  const counts = believed === undefined ? undefined : byTotal(question, believed);
  const isCounted = counts !== undefined && (pages === undefined || pages <= page);
  const hasMore = isCounted ? counts.hasMore : records.length > 0;
  const current = countIn(meta?.current_page);
  const isOther = current !== undefined && current !== page && records.length > 0;
  const problems = [
    isOther ? `the API answered page ${current} instead of page ${page}` : '',
    lost > 0 ? `${lost} entries of this page are not records` : '',
    counts?.isShort
      ? `this page has ${records.length} records instead of ${counts.expected}: read on until a page is empty`
      : '',
  ];
  const problem = problems.filter(Boolean).join('; ') || undefined;
  return { facts: { ...beside, next_page: hasMore ? page + 1 : undefined }, problem };
}
