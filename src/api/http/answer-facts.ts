import type { ListResponse } from '../../contract/schemas/response.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { isNothing, isObject } from '../../shared/json.ts';
import type { Api } from '../api.ts';
import { type Answered, headerOf } from './attempt-result.ts';

interface AnswerFacts {
  /** Paths of the values that were left out of an answer, as the API sent it: "$.modules.0.lessons.2". */
  readonly unreadable: readonly string[];
  /** How long before its arrival it was true, in milliseconds; 0 if the API itself gave it, and not a cache on the way. */
  readonly ageMs: number;
}

/** What is known of an answer beside its content; nothing for most. */
const facts = new WeakMap<object, AnswerFacts>();

export function noteFacts(answer: object, found: AnswerFacts): void {
  if (found.unreadable.length > 0 || found.ageMs > 0) facts.set(answer, found);
}

export const unreadablePathsIn = (answer: object): readonly string[] => facts.get(answer)?.unreadable ?? [];

/** Number of list entries that are not records, such as a null. */
export const unreadableEntries = (answer: object): number =>
  unreadablePathsIn(answer).filter((path) => /^\$\.items\.\d+$/.test(path)).length;

export const ageOf = (answer: object): number => facts.get(answer)?.ageMs ?? 0;

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

// What an answer says about its own list. Readers of lists compare that with what they read: here nothing is judged.

interface ListClaims {
  /** Why the answer is not the whole that it should be: "status 206". */
  partial?: string | undefined;
  /** What says that a further page exists: "a link to the next page". */
  more?: string | undefined;
  /** The largest number of records that is stated, but for the total that the document names. */
  total?: number | undefined;
  pages?: number | undefined;
}

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

function larger(one: number | undefined, value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,12}$/.test(value.trim()) ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) return one;
  return Math.max(one ?? 0, count);
}

function addField(claims: ListClaims, name: string, value: unknown, noun: string): void {
  const isSaid = !isNothing(value);
  if (totalKey.test(name) || name === `total_${noun}` || name === `${noun}_count`) {
    claims.total = larger(claims.total, value);
  } else if (pagesKey.test(name)) claims.pages = larger(claims.pages, value);
  else if (moreKey.test(name) && isSaid) claims.more ??= `"${name}" in its answer`;
  else if (isSaid ? partialKey.test(name) : wholeKey.test(name)) claims.partial ??= `"${name}" in its answer`;
  else if (warningKey.test(name) && isSaid) claims.partial ??= 'warnings in its answer';
  else if (stateKey.test(name) && typeof value === 'string') {
    const [word] = unwell.exec(value) ?? [];
    if (word !== undefined) claims.partial ??= `"${name}" of "${word}" in its answer`;
  }
}

/** `documented`: the field whose number the readers of pages compare themselves. */
function addBody(claims: ListClaims, body: unknown, noun: string, documented: string | undefined, isInner = false) {
  for (const [name, value] of Object.entries(isObject(body) ? body : {})) {
    if (name === documented) continue;
    if (!isInner && isObject(value) && block.test(name)) addBody(claims, value, noun, documented, true);
    else addField(claims, name, value, noun);
  }
}

/** Headers that may say that an answer is a part, beside what RFC 9110 defines. */
const doubtHeader = /^(warning|x-(truncated|partial|partial-content|incomplete|degraded|has-more))$/;

/** Warning (RFC 7234, 5.5) may also be about something else; the other headers say it by their name. */
const isDoubt = (name: string, value: string) => (name === 'warning' ? unwell.test(value) : !isNothing(value));

function addHeaders(claims: ListClaims, result: Answered): void {
  const header = (name: string) => headerOf(result, name) ?? '';
  const doubt = Object.keys(result.headers).find((name) => doubtHeader.test(name) && isDoubt(name, header(name)));
  if (result.status === 203 || result.status === 206) claims.partial = `status ${result.status}`;
  else if (doubt !== undefined) claims.partial = oneLine(`${doubt}: ${header(doubt)}`, 60);
  if (/;\s*rel\s*=\s*"?[^";,]*\bnext\b/i.test(header('link').slice(0, 2_000))) claims.more = 'a link to the next page';
  const stated = ['x-total-count', 'x-total', 'total-count'].find((name) => headerOf(result, name) !== undefined);
  if (stated !== undefined) claims.total = larger(claims.total, header(stated));
  // "items 0-49/120" or "0-49/120". A range of bytes is about the transfer.
  const [, unit, total] = /^\s*(?:([a-z]+)\s+)?[\d*-]+\/(\d+)\s*$/i.exec(header('content-range')) ?? [];
  if (unit !== 'bytes') claims.total = larger(claims.total, total);
}

const claimsOf = new WeakMap<readonly unknown[], ListClaims>();

export function noteListClaims(items: readonly unknown[], { key: noun, extra }: ListResponse, result: Answered): void {
  const documented = 'meta' in extra.shape ? `total_${noun}` : undefined;
  const claims: ListClaims = {};
  addHeaders(claims, result);
  for (const part of [result.json, Object(result.json).data]) addBody(claims, part, noun, documented);
  claimsOf.set(items, claims);
}

export const listClaims = (items: readonly unknown[]): Readonly<ListClaims> => claimsOf.get(items) ?? {};

/** Why a list that the API sends whole is not whole, as far as its answer says; undefined if nothing speaks against it. */
export function whyNotWhole(items: readonly unknown[], unreadable = 0): string | undefined {
  const { partial, more, total = 0, pages = 1 } = listClaims(items);
  if (partial !== undefined) return `the API says that this is not all: ${partial}`;
  if (total > items.length + unreadable) return `the API reports ${total} records`;
  if (pages > 1) return `the API reports ${pages} pages`;
  return more === undefined ? undefined : `the API says that more follow: ${more}`;
}
