import { listBundles } from '../../src/contract/bundles.ts';
import { searchChannels } from '../../src/contract/community.ts';
import { listCourses } from '../../src/contract/courses.ts';
import { listDigitalProducts } from '../../src/contract/digital-products.ts';
import { type ProductType, productTypes, searchProducts } from '../../src/contract/products.ts';
import { periodNames } from '../../src/insights/period.ts';
import { type CompletionInput, type CompletionSource, type Found, fromNames, pick } from '../../src/mcp/completion.ts';

// The sources of argument completions. None holds student data: a user who may write prompts need not be allowed to see it.

/** API document: "Limits". */
const maxProducts = 25;
const maxChannels = 50;

/** The rows of a search that returns at most `limit`: without a text, which may return all there are, then for `typed`. */
async function searchRows(typed: string, limit: number, search: (query?: string) => Promise<object[]>) {
  const all = await search();
  if (all.length < limit || typed === '') return { rows: all, more: all.length >= limit };
  const rows = await search(typed.toLowerCase());
  return { rows, more: rows.length >= limit };
}

const noRows = { rows: [], more: false };

async function searchProductRows({ typed, list, has }: CompletionInput, product_type?: ProductType) {
  if (!has('search_products')) return noRows;
  return await searchRows(typed, maxProducts, (query) =>
    list(searchProducts, { query, product_type, limit: maxProducts }),
  );
}

/** Completes from whole lists and from a search, which also finds unpublished products. */
async function fromListsAndSearch(
  typing: CompletionInput,
  rows: Promise<object[]>,
  types: readonly (ProductType | undefined)[],
  field: 'id' | 'title',
): Promise<Found> {
  const searches = Promise.all(types.map((type) => searchProductRows(typing, type)));
  const [listed, searched] = await Promise.all([rows, searches]);
  const all = [...listed, ...searched.flatMap((found) => found.rows)];
  const by = field === 'id' ? ['id', 'title'] : ['title'];
  return { values: pick(all, typing.typed, field, by), more: searched.some(({ more }) => more) };
}

/** Both types have lessons, and share their ids. */
const courseTypes = ['course', 'challenge'] as const;

const courseRows = async ({ list, has }: CompletionInput) => (has('list_courses') ? await list(listCourses, {}) : []);

async function allProductRows(typing: CompletionInput): Promise<object[]> {
  const { list, has } = typing;
  const bundles = has('list_bundles') ? list(listBundles, {}) : [];
  const downloads = has('list_digital_products') ? list(listDigitalProducts, {}) : [];
  return (await Promise.all([courseRows(typing), bundles, downloads])).flat();
}

/** With UTC, which the runtime's own list omits if it has UTC under another name. */
const zoneNames = () => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

function fromSearch(typed: string, { rows, more }: Awaited<ReturnType<typeof searchRows>>): Found {
  return { values: pick(rows, typed, 'slug', ['title', 'name', 'slug']), more };
}

export const courseIds: CompletionSource = (typing) =>
  fromListsAndSearch(typing, courseRows(typing), courseTypes, 'id');

export const courseTitles: CompletionSource = (typing) =>
  fromListsAndSearch(typing, courseRows(typing), courseTypes, 'title');

export const productTitles: CompletionSource = (typing) =>
  fromListsAndSearch(typing, allProductRows(typing), [undefined], 'title');

export const productTypeNames: CompletionSource = async ({ typed }) => fromNames(productTypes, typed);

export const productSlugs: CompletionSource = async (typing) => {
  const type = productTypes.find((name) => name === typing.filledIn.product_type);
  return fromSearch(typing.typed, await searchProductRows(typing, type));
};

export const channelSlugs: CompletionSource = async ({ typed, list, has }) => {
  const search = (query?: string) => list(searchChannels, { query, limit: maxChannels });
  return fromSearch(typed, has('search_channels') ? await searchRows(typed, maxChannels, search) : noRows);
};

export const periods: CompletionSource = async ({ typed }) => fromNames(periodNames, typed);

export const timezones: CompletionSource = async ({ typed }) => fromNames(zoneNames(), typed.replaceAll(' ', '_'));
