import { oneLine } from '../../clean.ts';
import { listBundles } from '../../contract/bundles.ts';
import { searchChannels } from '../../contract/community.ts';
import { listCourses } from '../../contract/courses.ts';
import { listDigitalProducts } from '../../contract/digital-products.ts';
import { type ProductType, productTypes, searchProducts } from '../../contract/products.ts';
import { periodNames } from '../../insights/period.ts';
import type { KeptLists } from './kept-lists.ts';

/** What an argument can be completed from. Nothing of students: whoever may type a prompt need not see them. */
export type SourceName =
  | 'course_ids'
  | 'course_titles'
  | 'product_titles'
  | 'product_types'
  | 'product_slugs'
  | 'channel_slugs'
  | 'periods';

/** From what each argument is completed; arguments that are not named here are not. */
export type Completes = Readonly<Record<string, SourceName>>;

/** What has been typed, and what a caller may look at for it. */
export interface Typing {
  readonly typed: string;
  /** Arguments that have been filled in before. */
  readonly filledIn: Readonly<Record<string, string>>;
  readonly lists: KeptLists;
  /** A completion shows no more than the tools that its caller has. */
  readonly has: (tool: string) => boolean;
}

export interface Found {
  readonly values: readonly string[];
  /** Whether there may be others beyond these. */
  readonly more: boolean;
}

type Row = Record<string, unknown>;

/** API document: "Limits". */
const mostProducts = 25;
const mostChannels = 50;

function textOf(row: Row, field: string): string {
  const value = row[field];
  return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value), 200) : '';
}

function holds(typed: string, text: string): boolean {
  return text.toLowerCase().includes(typed.toLowerCase());
}

/** A field of the rows in one of whose fields `by` the typed text stands. */
function pick(rows: readonly object[], typed: string, field: string, by: readonly string[]): string[] {
  const fitting = rows
    .map((row): Row => ({ ...row }))
    .filter((row) => by.some((name) => holds(typed, textOf(row, name))));
  return [...new Set(fitting.map((row) => textOf(row, field)))].filter((value) => value !== '');
}

/**
 * The rows of a search of which at most `limit` come. Who has all that fit a part of the typed text needs no further
 * request: for what was typed before, for nothing, or at last for the text itself.
 */
async function narrow(
  typed: string,
  limit: number,
  before: (query: string) => object[] | undefined,
  search: (query: string) => Promise<object[]>,
): Promise<{ rows: object[]; more: boolean }> {
  for (let length = typed.length; length >= 0; length -= 1) {
    const kept = before(typed.slice(0, length));
    if (kept !== undefined && kept.length < limit) return { rows: kept, more: false };
  }
  const all = await search('');
  if (all.length < limit || typed === '') return { rows: all, more: all.length >= limit };
  const rows = await search(typed);
  return { rows, more: rows.length >= limit };
}

const queryOf = (query: string) => (query === '' ? {} : { query: query.toLowerCase() });

async function productRows({ typed, lists, has }: Typing, type: ProductType | undefined) {
  if (!has('search_products')) return { rows: [], more: false };
  const input = (query: string) => ({
    ...queryOf(query),
    ...(type === undefined ? {} : { product_type: type }),
    limit: mostProducts,
  });
  const before = (query: string) => lists.foundBefore(searchProducts, input(query));
  return await narrow(typed, mostProducts, before, (query) => lists.found(searchProducts, input(query)));
}

async function channelRows({ typed, lists, has }: Typing) {
  if (!has('search_channels')) return { rows: [], more: false };
  const input = (query: string) => ({ ...queryOf(query), limit: mostChannels });
  const before = (query: string) => lists.foundBefore(searchChannels, input(query));
  return await narrow(typed, mostChannels, before, (query) => lists.found(searchChannels, input(query)));
}

/** From lists that come whole; where nothing there fits, from a search, which also finds what is not published. */
async function titled(typing: Typing, rows: readonly object[], type: ProductType | undefined, field: string) {
  const by = field === 'id' ? ['id', 'title'] : ['title'];
  const values = pick(rows, typing.typed, field, by);
  if (values.length > 0) return { values, more: false };
  const searched = await productRows(typing, type);
  return { values: pick(searched.rows, typing.typed, field, by), more: searched.more };
}

async function courseRows({ lists, has }: Typing): Promise<object[]> {
  return has('list_courses') ? await lists.whole(listCourses, {}) : [];
}

async function allTitled({ lists, has, ...typing }: Typing): Promise<object[]> {
  const wanted = [
    courseRows({ lists, has, ...typing }),
    ...(has('list_bundles') ? [lists.whole(listBundles, {})] : []),
    ...(has('list_digital_products') ? [lists.whole(listDigitalProducts, {})] : []),
  ];
  return (await Promise.all(wanted)).flat();
}

function among(names: readonly string[], typed: string): Found {
  return { values: names.filter((name) => holds(typed, name)), more: false };
}

async function slugs(typed: string, searched: Promise<{ rows: object[]; more: boolean }>): Promise<Found> {
  const { rows, more } = await searched;
  return { values: pick(rows, typed, 'slug', ['title', 'name', 'slug']), more };
}

/** What fits the typed text, of each source. */
export const sources: Readonly<Record<SourceName, (typing: Typing) => Promise<Found>>> = {
  course_ids: async (typing) => titled(typing, await courseRows(typing), 'course', 'id'),
  course_titles: async (typing) => titled(typing, await courseRows(typing), 'course', 'title'),
  product_titles: async (typing) => titled(typing, await allTitled(typing), undefined, 'title'),
  product_types: async ({ typed }) => among(productTypes, typed),
  product_slugs: (typing) => {
    const type = productTypes.find((name) => name === typing.filledIn.product_type);
    return slugs(typing.typed, productRows(typing, type));
  },
  channel_slugs: (typing) => slugs(typing.typed, channelRows(typing)),
  periods: async ({ typed }) => among(periodNames, typed),
};
