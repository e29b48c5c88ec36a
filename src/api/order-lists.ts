import type { AnswerOf, InputOf } from '../contract/operation.ts';
import { listOrders } from '../contract/orders.ts';
import { addOrders, type SoldOrder, soldOrder } from '../insights/sales/sold-order.ts';
import { AcademyError } from '../shared/errors.ts';
import type { Api, CallOptions } from './api.ts';
import { createPages, maxConcurrentRequests, nextPages } from './pages.ts';

/** API document: "Limits". */
const perPage = 100;

/** `orders`: each once, by id. */
export type OrderList = ReturnType<typeof newOrderList>;

export function newOrderList() {
  return { pages: createPages({ noun: 'orders', perPage, isRechecked: true }), orders: new Map<string, SoldOrder>() };
}

type OrderPage = AnswerOf<typeof listOrders>;
type OrderQuery = Omit<InputOf<typeof listOrders>, 'page' | 'per_page'>;

const beyondLastPage: ReadonlySet<string> = new Set(['not_found', 'unprocessable']);

/** Undefined if the API refuses the page, which happens after the last one. */
export async function readOrderPage(api: Api, query: OrderQuery, page: number, options: CallOptions = {}) {
  return await api.call(listOrders, { ...query, page, per_page: perPage }, options).catch((error: unknown) => {
    if (page > 1 && error instanceof AcademyError && beyondLastPage.has(error.code)) return undefined;
    throw error;
  });
}

function addPage({ pages, orders }: OrderList, page: number, answer: OrderPage | undefined): void {
  if (answer === undefined) {
    pages.refuse(page);
    return;
  }
  const { items, meta } = answer;
  const { total_pages: totalPages, total_orders: total, per_page: size } = meta ?? {};
  if (pages.add(page, { items, totalPages, total, perPage: size })) addOrders(orders, items.map(soldOrder));
  else orders.clear();
}

interface ReadingTerms<List> {
  readonly read: (list: List, page: number) => Promise<OrderPage | undefined>;
  readonly left: () => number;
  readonly maxPerList?: number;
  readonly onRound: (requests: number) => void;
}

/** Reads the pages that are left of these lists, some at a time. Returns the first failure, after which it reads no more. */
export async function readOrderLists<List extends OrderList>(
  lists: () => readonly List[],
  { read, left, maxPerList, onRound }: ReadingTerms<List>,
): Promise<PromiseRejectedResult | undefined> {
  const next = () => nextPages(lists(), Math.min(maxConcurrentRequests, left()), maxPerList);
  for (let round = next(); round.length > 0; round = next()) {
    const answers = await Promise.allSettled(round.map(({ list, page }) => read(list, page)));
    // Even if another page failed, so that no page is read twice.
    for (const [index, { list, page }] of round.entries()) {
      const answer = answers[index];
      if (answer?.status === 'fulfilled') addPage(list, page, answer.value);
    }
    const failure = answers.find((answer) => answer.status === 'rejected');
    if (failure !== undefined) return failure;
    onRound(round.length);
  }
  return undefined;
}
