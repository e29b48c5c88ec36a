import { undefinedIfNotFound } from '../../api/partial-failure.ts';
import { getProduct, type ProductType } from '../../contract/products.ts';
import { type ListedProduct, uniqueByRef } from '../../insights/sales/sold-order.ts';
import { accessEnd, type HoldingEvidence, lastGiven } from '../../insights/students/holdings.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { inBatches } from '../batch.ts';
import { accessDays } from '../scan-store.ts';

/** Reads `days_of_access` once for each product: one request, and one more for a challenge, which orders list as a course. */
export async function readAccessDays(
  products: readonly ListedProduct[],
  maxRequests: number,
  { api, stores, spent }: Pick<ToolContext, 'api' | 'stores' | 'spent'>,
) {
  const cache = stores.of(accessDays);
  /** By ref; null: access has no end. Products that were not read are missing. */
  const days = new Map<string, number | null>();
  for (const { ref } of products) {
    const known = cache.get(ref);
    if (known !== undefined) days.set(ref, known);
  }
  const open = uniqueByRef(products).filter(({ ref }) => !days.has(ref));
  const refused = new Set<string>();
  const read = (product_type: ProductType, id: number) =>
    undefinedIfNotFound(api.call(getProduct, { product_type, id_or_slug: String(id) }));
  const run = async ({ kind, id }: ListedProduct) =>
    (await read(kind, id)) ?? (kind === 'course' ? await read('challenge', id) : undefined);
  const keep = ({ ref }: ListedProduct, record: Awaited<ReturnType<typeof run>>) => {
    const found = record?.attributes?.days_of_access ?? null;
    days.set(ref, found);
    cache.set(ref, found);
  };
  const cost = open.some(({ kind }) => kind === 'course') ? 2 : 1;
  // Without a first product, a small max_requests would never end.
  const left = () => Math.max(Math.floor((maxRequests - spent()) / cost), spent() === 0 ? 1 : 0);
  const step = { run, keep, refused: ({ ref }: ListedProduct) => void refused.add(ref) };
  const { stopped } = await inBatches(open, step, { left, progress: () => undefined });
  return { days, refused, stopped };
}

/** What an answer says of a held course whose days of access were not read. */
export const endUnread = 'whether access has ended could not be read';

/** The day on which access to a held course ended, by ref; `undefined`: it has not. Courses that were not checked are missing. */
export type EndedAccess = ReadonlyMap<string, string | undefined>;

/** One request for each, two for a challenge; cached. None if orders are missing: one of them may have extended the access. */
export async function readEndedAccess(
  { orders, missing }: Pick<HoldingEvidence, 'orders' | 'missing'>,
  holdings: readonly ListedProduct[],
  maxRequests: number,
  context: ToolContext,
): Promise<EndedAccess> {
  if (missing !== undefined) return new Map();
  const courses = holdings.filter(({ kind }) => kind === 'course');
  const { days } = await readAccessDays(courses, maxRequests, context);
  const checked = courses.filter(({ ref }) => days.has(ref));
  return new Map(
    checked.map((one) => [one.ref, accessEnd(lastGiven(one, { orders }), days.get(one.ref), context.now())]),
  );
}
