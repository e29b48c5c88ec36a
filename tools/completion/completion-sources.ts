import { setTimeout as sleep } from 'node:timers/promises';
import { listBundles } from '../../src/contract/bundles.ts';
import { searchChannels } from '../../src/contract/community.ts';
import { listCourses } from '../../src/contract/courses.ts';
import { listDigitalProducts } from '../../src/contract/digital-products.ts';
import { type ProductType, productTypes, searchProducts } from '../../src/contract/products.ts';
import { periodNames } from '../../src/insights/period.ts';
import { type CompletionInput, type CompletionSource, type Found, holds, pick } from '../../src/mcp/completion.ts';

// The sources of argument completions. None holds student data: a user who may write prompts need not be allowed to see it.

/** API document: "Limits". */
const maxProducts = 25;
const maxChannels = 50;

/** The rows of a search that returns at most `limit`: for the empty text, which may return all there are, then for `typed`. */
async function searchRows(typed: string, limit: number, search: (query: string) => Promise<object[]>) {
  const all = await search('');
  if (all.length < limit || typed === '') return { rows: all, more: all.length >= limit };
  const rows = await search(typed);
  return { rows, more: rows.length >= limit };
}

const queryOf = (query: string) => (query === '' ? {} : { query: query.toLowerCase() });

async function searchProductRows({ typed, list, has }: CompletionInput, type: ProductType | undefined) {
  if (!has('search_products')) return { rows: [], more: false };
  const input = (query: string) => ({
    ...queryOf(query),
    ...(type === undefined ? {} : { product_type: type }),
    limit: maxProducts,
  });
  return await searchRows(typed, maxProducts, (query) => list(searchProducts, input(query)));
}

async function searchChannelRows({ typed, list, has }: CompletionInput) {
  if (!has('search_channels')) return { rows: [], more: false };
  const input = (query: string) => ({ ...queryOf(query), limit: maxChannels });
  return await searchRows(typed, maxChannels, (query) => list(searchChannels, input(query)));
}

/** Milliseconds to wait for a search: less than a user who types waits for the whole completion. */
const searchTimeoutMs = 1_000;

/** Completes from whole lists and from a search, which also finds unpublished products. */
async function fromListsAndSearch(
  typing: CompletionInput,
  { rows, types, field }: { rows: Promise<object[]>; types: readonly (ProductType | undefined)[]; field: string },
): Promise<Found> {
  const late = types.map(() => ({ rows: [], more: true }));
  const search = Promise.all(types.map((type) => searchProductRows(typing, type)));
  // A slow search does not delay the rows of the lists.
  const [listed, searched] = await Promise.all([
    rows,
    Promise.race([search, sleep(searchTimeoutMs, late, { ref: false })]),
  ]);
  const all = [...listed, ...searched.flatMap((found) => found.rows)];
  const by = field === 'id' ? ['id', 'title'] : ['title'];
  return { values: pick(all, typing.typed, field, by), more: searched.some(({ more }) => more) };
}

/** Both types have lessons, and share their ids. */
const courseTypes = ['course', 'challenge'] as const;

async function courseRows({ list, has }: CompletionInput): Promise<object[]> {
  return has('list_courses') ? await list(listCourses, {}) : [];
}

async function allProductRows({ list, has, ...typing }: CompletionInput): Promise<object[]> {
  const wanted = [
    courseRows({ list, has, ...typing }),
    ...(has('list_bundles') ? [list(listBundles, {})] : []),
    ...(has('list_digital_products') ? [list(listDigitalProducts, {})] : []),
  ];
  return (await Promise.all(wanted)).flat();
}

/** Adds UTC, which the runtime's own list omits if it has UTC under another name. */
function zoneNames(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
}

function fromNames(names: readonly string[], typed: string): Found {
  return { values: names.filter((name) => holds(typed, name)), more: false };
}

async function fromSearch(typed: string, searched: Promise<{ rows: object[]; more: boolean }>): Promise<Found> {
  const { rows, more } = await searched;
  return { values: pick(rows, typed, 'slug', ['title', 'name', 'slug']), more };
}

export const courseIds: CompletionSource = (typing) =>
  fromListsAndSearch(typing, { rows: courseRows(typing), types: courseTypes, field: 'id' });

export const courseTitles: CompletionSource = (typing) =>
  fromListsAndSearch(typing, { rows: courseRows(typing), types: courseTypes, field: 'title' });

export const productTitles: CompletionSource = (typing) =>
  fromListsAndSearch(typing, { rows: allProductRows(typing), types: [undefined], field: 'title' });

export const productTypeNames: CompletionSource = async ({ typed }) => fromNames(productTypes, typed);

export const productSlugs: CompletionSource = (typing) => {
  const type = productTypes.find((name) => name === typing.filledIn.product_type);
  return fromSearch(typing.typed, searchProductRows(typing, type));
};

export const channelSlugs: CompletionSource = (typing) => fromSearch(typing.typed, searchChannelRows(typing));

export const periods: CompletionSource = async ({ typed }) => fromNames(periodNames, typed);

export const timezones: CompletionSource = async ({ typed }) => fromNames(zoneNames(), typed.replaceAll(' ', '_'));
