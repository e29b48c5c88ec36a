import { searchChannels } from '../../src/contract/community.ts';
import { type ProductType, searchProducts } from '../../src/contract/products.ts';
import type { CompletionInput } from '../../src/mcp/completion/completion-source.ts';

/** API document: "Limits". */
const maxProducts = 25;
const maxChannels = 50;

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

export async function productRows({ typed, lists, has }: CompletionInput, type: ProductType | undefined) {
  if (!has('search_products')) return { rows: [], more: false };
  const input = (query: string) => ({
    ...queryOf(query),
    ...(type === undefined ? {} : { product_type: type }),
    limit: maxProducts,
  });
  const before = (query: string) => lists.foundBefore(searchProducts, input(query));
  return await narrow(typed, maxProducts, before, (query) => lists.found(searchProducts, input(query)));
}

export async function channelRows({ typed, lists, has }: CompletionInput) {
  if (!has('search_channels')) return { rows: [], more: false };
  const input = (query: string) => ({ ...queryOf(query), limit: maxChannels });
  const before = (query: string) => lists.foundBefore(searchChannels, input(query));
  return await narrow(typed, maxChannels, before, (query) => lists.found(searchChannels, input(query)));
}
