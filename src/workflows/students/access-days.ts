import { undefinedIfNotFound } from '../../api/partial-failure.ts';
import type { StudentOrders } from '../../api/student-orders.ts';
import { getProduct, type ProductType } from '../../contract/products.ts';
import { type ListedProduct, uniqueByRef } from '../../insights/sales/sold-order.ts';
import { accessEnd, lastGiven } from '../../insights/students/holdings.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { inBatches } from '../batch.ts';
import { accessDays } from '../scan-store.ts';

type Question = Pick<ListedProduct, 'ref' | 'id'> & { readonly type: ProductType };

/** Reads `days_of_access` once for each product: one request, and one more for a challenge, which orders list as a course. */
export async function readAccessDays(
  products: readonly ListedProduct[],
  maxRequests: number,
  { api, stores, spent }: Pick<ToolContext, 'api' | 'stores' | 'spent'>,
) {
  const cache = stores.of(accessDays);
  const distinct = uniqueByRef(products);
  const known = new Map(distinct.map(({ ref }) => [ref, cache.get(ref)]));
  const refused = new Set<string>();
  const run = async ({ type, id }: Question) =>
    await undefinedIfNotFound(api.call(getProduct, { product_type: type, id_or_slug: String(id) }));
  const keep = ({ ref, type }: Question, record: Awaited<ReturnType<typeof run>>) => {
    const isAbsent = record === undefined && type === 'course';
    const found = isAbsent ? 'challenge' : (record?.attributes?.days_of_access ?? null);
    known.set(ref, found);
    cache.set(ref, found);
  };
  // Without a first product, a small max_requests would never end.
  const left = () => Math.max(maxRequests - spent(), spent() === 0 ? 1 : 0);
  const read = async (open: 'challenge' | undefined) => {
    const wanted = distinct.filter(({ ref }) => known.get(ref) === open);
    const questions = wanted.map(({ ref, id, kind }): Question => ({ ref, id, type: open ?? kind }));
    const step = { run, keep, refused: ({ ref }: Question) => void refused.add(ref) };
    return await inBatches(questions, step, { left, progress: () => undefined });
  };
  const first = await read(undefined);
  const { stopped } = first.stopped === undefined ? await read('challenge') : first;
  /** By ref; null: access has no end. Products that were not read are missing. */
  const days = new Map<string, number | null>();
  for (const [ref, found] of known) if (found !== undefined && found !== 'challenge') days.set(ref, found);
  return { days, refused, stopped };
}

/** What an answer says of a held course whose days of access were not read. */
export const endUnread = 'whether access has ended could not be read';

/** The day on which access to a held course ended, by ref; `undefined`: it has not. Courses that were not checked are missing. */
export type EndedAccess = ReadonlyMap<string, string | undefined>;

/**
 * Checks the days of access of each held course: one request for each, or two for a challenge. Later calls have them cached.
 * Checks none if orders are missing: one of them may have extended the access.
 */
export async function readEndedAccess(
  { orders, isCut, problem }: Pick<StudentOrders, 'orders' | 'isCut' | 'problem'>,
  holdings: readonly ListedProduct[],
  maxRequests: number,
  context: ToolContext,
): Promise<EndedAccess> {
  if (isCut || problem !== undefined) return new Map();
  const courses = holdings.filter(({ kind }) => kind === 'course');
  const { days } = await readAccessDays(courses, maxRequests, context);
  const checked = courses.filter(({ ref }) => days.has(ref));
  return new Map(
    checked.map((one) => [one.ref, accessEnd(lastGiven(one, { orders }), days.get(one.ref), context.now())]),
  );
}
