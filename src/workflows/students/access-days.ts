import { undefinedIfNotFound } from '../../api/partial-failure.ts';
import type { StudentOrders } from '../../api/student-orders.ts';
import { getProduct, type ProductType } from '../../contract/products.ts';
import { type ListedProduct, ordersWith } from '../../insights/sales/sold-order.ts';
import { accessEnd, type Holding, lastTime } from '../../insights/students/holdings.ts';
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
  /** By ref; null: access has no end. Products that were not read are missing. */
  const days = new Map<string, number | null>();
  const refused = new Set<string>();
  const challenges: Question[] = [];
  const keep = ({ ref }: Question, found: number | null) => {
    days.set(ref, found);
    cache.set(ref, found);
  };
  const run = async ({ type, id }: Question) =>
    await undefinedIfNotFound(api.call(getProduct, { product_type: type, id_or_slug: String(id) }));
  const read = async (questions: readonly Question[]) => {
    const step = {
      run,
      keep: (question: Question, record: Awaited<ReturnType<typeof run>>) => {
        if (record === undefined && question.type === 'course') {
          cache.set(question.ref, 'challenge');
          challenges.push({ ...question, type: 'challenge' });
        } else keep(question, record?.attributes?.days_of_access ?? null);
      },
      refused: ({ ref }: Question) => void refused.add(ref),
    };
    // Without a first product, a small max_requests would never end.
    const left = () => Math.max(maxRequests - spent(), spent() === 0 ? 1 : 0);
    return await inBatches(questions, step, { left, progress: () => undefined });
  };
  const open: Question[] = [];
  for (const { ref, kind, id } of new Map(products.map((product) => [product.ref, product])).values()) {
    const known = cache.get(ref);
    if (known === undefined) open.push({ ref, id, type: kind });
    else if (known === 'challenge') challenges.push({ ref, id, type: 'challenge' });
    else days.set(ref, known);
  }
  const first = await read(open);
  const second = first.stopped === undefined ? await read(challenges) : first;
  return { days, refused, stopped: second.stopped };
}

/** The day on which access to a held course ended, by ref; `undefined`: it has not. Courses that were not checked are missing. */
export type EndedAccess = ReadonlyMap<string, string | undefined>;

/**
 * Checks the days of access of each held course: one request for each, or two for a challenge. Later calls have them cached.
 * Checks none if orders are missing: one of them may have extended the access.
 */
export async function readEndedAccess(
  { orders, isCut, problem }: Pick<StudentOrders, 'orders' | 'isCut' | 'problem'>,
  holdings: readonly Holding[],
  maxRequests: number,
  context: ToolContext,
): Promise<EndedAccess> {
  if (isCut || problem !== undefined) return new Map();
  const courses = holdings.filter(({ kind }) => kind === 'course');
  const { days } = await readAccessDays(courses, maxRequests, context);
  const checked = courses.filter(({ ref }) => days.has(ref));
  return new Map(
    checked.map(({ ref }) => [ref, accessEnd(lastTime(ordersWith(orders, ref)), days.get(ref), context.now())]),
  );
}
