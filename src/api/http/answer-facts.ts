import type { ListResponse } from '../../contract/schemas/response.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { isNothing, isObject } from '../../shared/json.ts';
import type { Api } from '../api.ts';
import type { AttemptResult } from './attempt-result.ts';

/** For each answer, the paths of values that could not be read: "$.modules.0.lessons.2". */
const places = new WeakMap<object, readonly string[]>();

export function noteUnreadablePaths(answer: object, paths: readonly string[]): void {
  if (paths.length > 0) places.set(answer, paths);
}

/** Paths of the values that were left out of an answer, as the API sent it; empty if all were read. */
export function unreadablePathsIn(answer: object): readonly string[] {
  return places.get(answer) ?? [];
}

/** Number of list entries that are not records, such as a null. */
export function unreadableEntries(answer: object): number {
  return unreadablePathsIn(answer).filter((path) => /^\$\.items\.\d+$/.test(path)).length;
}

/** For each answer of a cache on the way, how old it was, in milliseconds. */
const ages = new WeakMap<object, number>();

export function noteAge(answer: object, ageMs: number): void {
  if (ageMs > 0) ages.set(answer, ageMs);
}

/** How long before its arrival an answer was true, in milliseconds; 0 if the API itself gave it. */
export function ageOf(answer: object): number {
  return ages.get(answer) ?? 0;
}

/** The same API, and the age of its oldest answer in milliseconds. */
export function notingAge({ call }: Api) {
  let ageMs = 0;
  const api: Api = {
    call: async (...request) => {
      const answer = await call(...request);
      ageMs = Math.max(ageMs, ageOf(answer));
      return answer;
    },
  };
  return { api, ageMs: () => ageMs };
}

// What an answer says about its own list, beside the records: that it is a part, that more follow, or how many there are.
// The document names few of these fields. Readers of lists compare them with what they read: here nothing is judged.

interface ListClaims {
  /** Why the answer is not the whole that it should be: "status 206". */
  readonly partial?: string | undefined;
  /** What says that a further page exists: "a link to the next page". */
  readonly more?: string | undefined;
  /** The largest number of records that is stated, but for the total that the document names. */
  readonly total?: number | undefined;
  /** The largest number of pages that is stated. */
  readonly pages?: number | undefined;
}

/** Blocks that speak about the list. */
const block = /^(meta|pagination|paging|page_?info|links|_links|_meta|list|info)$/i;
const totalKey = /^(total|count|(total|full)_?(count|records|items|entries|results|rows)|(count|records)_?total)$/i;
const pagesKey = /^(total_?pages|page_?count|last_?page|pages|num_?pages)$/i;
const moreKey = /^(has_?(more|next)(_?page)?|more|more_available|next|next_?(page|cursor|token|url|link|page_?url))$/i;
const partialKey =
  /^(is_?|results?_?)?(partial|truncated|incomplete|degraded|maintenance|stale|limited|capped|clipped|timed_?out)(_?(results?|records|content|data|list))?$/i;
const wholeKey = /^(is_?)?(complete|whole)$/i;
const warningKey = /^warnings?$/i;
const stateKey = /^(status|state|mode|message|notice|note|info|hint)$/i;
const unwell =
  /\b(maintenance|degraded|partial(ly)?|incomplete|truncated|stale|unavailable|processing|pending|building|try again|timed out|did not answer|only (the )?(first|last|part)|limited to|not all)\b/i;

function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,12}$/.test(value.trim()) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

const largest = (counts: readonly (number | undefined)[]) =>
  counts.reduce((most, count) => (count !== undefined && count > (most ?? -1) ? count : most), undefined);

const merged = (all: readonly ListClaims[]): ListClaims => ({
  partial: all.find(({ partial }) => partial !== undefined)?.partial,
  more: all.find(({ more }) => more !== undefined)?.more,
  total: largest(all.map(({ total }) => total)),
  pages: largest(all.map(({ pages }) => pages)),
});

function claimOf(name: string, value: unknown, noun: string): ListClaims {
  if (totalKey.test(name) || name === `total_${noun}` || name === `${noun}_count`) return { total: countOf(value) };
  if (pagesKey.test(name)) return { pages: countOf(value) };
  const isSaid = !isNothing(value);
  if (moreKey.test(name) && isSaid) return { more: `"${name}" in its answer` };
  if (isSaid ? partialKey.test(name) : wholeKey.test(name)) return { partial: `"${name}" in its answer` };
  if (warningKey.test(name) && isSaid) return { partial: 'warnings in its answer' };
  const [word] = (stateKey.test(name) && typeof value === 'string' && unwell.exec(value)) || [];
  return word === undefined ? {} : { partial: `"${name}" of "${word}" in its answer` };
}

/** `documented`: the field whose number the readers of pages compare themselves. */
function inBody(body: unknown, noun: string, documented: string | undefined, isInner = false): ListClaims[] {
  if (!isObject(body)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    if (name === documented) return [];
    const isBlock = isObject(value) && block.test(name) && !isInner;
    return isBlock ? inBody(value, noun, documented, true) : [claimOf(name, value, noun)];
  });
}

/** "items 0-49/120" or "0-49/120". A range of bytes is about the transfer. */
function rangeTotal(range: string | undefined): number | undefined {
  const [, unit, total] = /^\s*(?:([a-z]+)\s+)?[\d*-]+\/(\d+)\s*$/i.exec(range ?? '') ?? [];
  return unit === 'bytes' ? undefined : countOf(total);
}

/** Warning (RFC 7234, 5.5) may also be about something else; the other headers say it by their name. */
function doubtIn(header: string): boolean {
  const [name, value = ''] = header.split(/: (.*)/s);
  return name === 'warning' ? unwell.test(value) : !isNothing(value);
}

function inHeaders({ status, headers }: Extract<AttemptResult, { status: number }>): ListClaims {
  const { link = '', total, contentRange, doubts = [] } = headers;
  const isPartial = status === 203 || status === 206;
  return {
    partial: isPartial ? `status ${status}` : oneLine(doubts.find(doubtIn) ?? '', 60) || undefined,
    more: /;\s*rel\s*=\s*"?[^";,]*\bnext\b/i.test(link) ? 'a link to the next page' : undefined,
    total: largest([countOf(total), rangeTotal(contentRange)]),
  };
}

/** The claims of each list, by its records. */
const claims = new WeakMap<readonly unknown[], ListClaims>();

export function noteListClaims(
  items: readonly unknown[],
  { key: noun, extra }: ListResponse,
  json: unknown,
  result: Extract<AttemptResult, { status: number }>,
): void {
  const documented = 'meta' in extra.shape ? `total_${noun}` : undefined;
  const places = isObject(json) ? [json, json.data] : [];
  const found = merged([inHeaders(result), ...places.flatMap((part) => inBody(part, noun, documented))]);
  if (Object.values(found).some((claim) => claim !== undefined)) claims.set(items, found);
}

export function listClaims(items: readonly unknown[]): ListClaims {
  return claims.get(items) ?? {};
}

/** Why a list that the API sends whole is not whole, as far as its answer says; undefined if nothing speaks against it. */
export function whyNotWhole(items: readonly unknown[], unreadable = 0): string | undefined {
  const { partial, more, total = 0, pages = 1 } = listClaims(items);
  if (partial !== undefined) return `the API says that this is not all: ${partial}`;
  if (total > items.length + unreadable) return `the API reports ${total} records`;
  if (pages > 1) return `the API reports ${pages} pages`;
  return more === undefined ? undefined : `the API says that more follow: ${more}`;
}
