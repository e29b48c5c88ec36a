import { createHash } from 'node:crypto';
import type { PageFacts, PageMeta } from './pagination.ts';

/** Pages of one list that were shown, by what they held. */
export type ShownPages = Map<number, string>;

export interface FetchedPage {
  readonly page: number;
  /** Records of a full page, as it was asked for. */
  readonly size: number;
  readonly meta: PageMeta | undefined;
  /** The API's number of records of the whole list. */
  readonly total: number | undefined;
  /** Entries that came and are no records. */
  readonly lost?: number;
  /** The records that came, as the API gave them. */
  readonly records: readonly { readonly id?: unknown }[];
}

export interface VerifiedPage {
  readonly facts: PageFacts;
  /** Why records may be missing between the pages, or at their end. */
  readonly problem: string | undefined;
}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
const numberOr = (value: unknown) => (isNumber(value) ? value : undefined);

/** Digits are a number in a field that the contract does not know, too. */
function currentPage(meta: PageMeta | undefined): number | undefined {
  const written: unknown = meta?.current_page;
  return numberOr(typeof written === 'string' && /^\d{1,9}$/.test(written) ? Number(written) : written);
}

function nameOf(records: FetchedPage['records']): string {
  const names = records.map((record) => record.id ?? record);
  return createHash('sha256').update(JSON.stringify(names)).digest('base64url');
}

/** Page that the records of this one are on, too; undefined where they were not seen before. */
function samePage(page: number, records: FetchedPage['records'], shown: ShownPages): number | undefined {
  const name = nameOf(records);
  const same = [...shown].find(([other, held]) => other !== page && held === name);
  shown.set(page, name);
  return records.length === 0 ? undefined : same?.[0];
}

/** What the API's numbers say of a page, where they are not at odds with what came. */
function byTotal({ page, size, records, lost = 0 }: FetchedPage, total: number) {
  const start = (page - 1) * size;
  const expected = Math.max(0, Math.min(size, total - start));
  const came = records.length + lost;
  const isShort = came < expected;
  return { isShort, hasMore: isShort ? came > 0 : start + came < total, expected };
}

/** Fewer than what came up to here is no number of the whole list. */
function believedTotal({ page, size, records, total }: FetchedPage): number | undefined {
  const least = records.length === 0 ? 0 : (page - 1) * size + records.length;
  return isNumber(total) && total >= least ? total : undefined;
}

/**
 * What a page says of its list, proved by the number of records: whether there is a further one, and whether this one held what
 * it should. Where the API's number is missing or at odds with what came, the end is an empty page. `shown` notes the page: one
 * that holds what another held tells that the pages do not go on.
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
    return { facts: beside, problem: `page ${page} holds the same as page ${same}: the pages of the API do not go on` };
  }
  const believed = believedTotal(question);
  const told = believed === undefined ? undefined : byTotal(question, believed);
  const isCounted = told !== undefined && (pages === undefined || pages <= page);
  const hasMore = isCounted ? told.hasMore : records.length > 0;
  const problems = [
    ...(lost > 0 ? [`${lost} entries of this page are no records`] : []),
    ...(told?.isShort
      ? [`this page holds ${records.length} records where ${told.expected} should be: read on until a page is empty`]
      : []),
  ];
  return {
    facts: { ...beside, ...(hasMore ? { next_page: page + 1 } : {}) },
    problem: problems.length > 0 ? problems.join('; ') : undefined,
  };
}
