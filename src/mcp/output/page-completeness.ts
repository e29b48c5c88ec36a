import { createHash } from 'node:crypto';
import type { PageFacts, PageMeta } from './pagination.ts';

/** A hash of the records of each page that was shown, by page number. */
export type ShownPages = Map<number, string>;

export interface FetchedPage {
  readonly page: number;
  /** Records of a full page, as requested. */
  readonly size: number;
  readonly meta: PageMeta | undefined;
  /** Records of the whole list, by the API. */
  readonly total: number | undefined;
  /** Entries of the page that are not records. */
  readonly lost?: number;
  /** The records of the page, as the API sent them. */
  readonly records: readonly { readonly id?: unknown }[];
}

export interface VerifiedPage {
  readonly facts: PageFacts;
  /** Why records may be missing between the pages or after the last one. */
  readonly problem: string | undefined;
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
const numberOr = (value: unknown) => (isNumber(value) ? value : undefined);

/** The contract does not know this field: a text of digits is a number too. */
function currentPage(meta: PageMeta | undefined): number | undefined {
  const written: unknown = meta?.current_page;
  return numberOr(typeof written === 'string' && /^\d{1,9}$/.test(written) ? Number(written) : written);
}

function pageDigest(records: FetchedPage['records']): string {
  const names = records.map((record) => record.id ?? record);
  return createHash('sha256').update(JSON.stringify(names)).digest('base64url');
}

/** Another page with the same records; undefined if there is none. */
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
  return isNumber(total) && total >= least ? total : undefined;
}

/**
 * Checks a page against the number of records: whether another page follows, and whether this one is complete. If the API's
 * total is missing or contradicts the records, only an empty page is the end. Adds the page to `shown`: a page with the
 * records of another one shows that the API does not page on.
 */
export function verifyPage(question: FetchedPage, shown: ShownPages): VerifiedPage {
  const { page, meta, total, records, lost = 0 } = question;
  const pages = numberOr(meta?.total_pages);
  const beside = {
    page,
    ...(pages === undefined ? {} : { total_pages: pages }),
    ...(isNumber(total) ? { total } : {}),
  };
  const current = currentPage(meta);
  const same = samePage(page, records, shown);
  if (current !== undefined && current !== page && records.length > 0) {
    return { facts: beside, problem: `the API answered page ${current} instead of page ${page}` };
  }
  if (same !== undefined) {
    return { facts: beside, problem: `page ${page} has the same records as page ${same}: the API does not page on` };
  }
  const believed = believedTotal(question);
  const counts = believed === undefined ? undefined : byTotal(question, believed);
  const isCounted = counts !== undefined && (pages === undefined || pages <= page);
  const hasMore = isCounted ? counts.hasMore : records.length > 0;
  const problems = [
    ...(lost > 0 ? [`${lost} entries of this page are not records`] : []),
    ...(counts?.isShort
      ? [`this page has ${records.length} records instead of ${counts.expected}: read on until a page is empty`]
      : []),
  ];
  return {
    facts: { ...beside, ...(hasMore ? { next_page: page + 1 } : {}) },
    problem: problems.length > 0 ? problems.join('; ') : undefined,
  };
}
