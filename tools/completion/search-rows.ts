import { searchChannels } from '../../src/contract/community.ts';
import { type ProductType, searchProducts } from '../../src/contract/products.ts';
import type { CompletionInput } from '../../src/mcp/completion/completion-source.ts';

/** API document: "Limits". */
const maxProducts = 25;
const maxChannels = 50;

/**
 * The rows of a search that returns at most `limit`. Sends no request if a cached search for a prefix of `typed` returned
 * every match. Otherwise it searches for the empty text, then for `typed`.
 */
async function searchRows(
  typed: string,
  limit: number,
  cached: (query: string) => object[] | undefined,
  search: (query: string) => Promise<object[]>,
): Promise<{ rows: object[]; more: boolean }> {
  for (let length = typed.length; length >= 0; length -= 1) {
    const rows = cached(typed.slice(0, length));
    if (rows !== undefined && rows.length < limit) return { rows, more: false };
  }
  const all = await search('');
  if (all.length < limit || typed === '') return { rows: all, more: all.length >= limit };
  const rows = await search(typed);
  return { rows, more: rows.length >= limit };
}

const queryOf = (query: string) => (query === '' ? {} : { query: query.toLowerCase() });

export async function searchProductRows({ typed, lists, has }: CompletionInput, type: ProductType | undefined) {
  if (!has('search_products')) return { rows: [], more: false };
  const input = (query: string) => ({
    ...queryOf(query),
    ...(type === undefined ? {} : { product_type: type }),
    limit: maxProducts,
  });
  const cached = (query: string) => lists.foundBefore(searchProducts, input(query));
  return await searchRows(typed, maxProducts, cached, (query) => lists.found(searchProducts, input(query)));
}

export async function searchChannelRows({ typed, lists, has }: CompletionInput) {
  if (!has('search_channels')) return { rows: [], more: false };
  const input = (query: string) => ({ ...queryOf(query), limit: maxChannels });
  const cached = (query: string) => lists.foundBefore(searchChannels, input(query));
  return await searchRows(typed, maxChannels, cached, (query) => lists.found(searchChannels, input(query)));
}
