import { isKnownStatus, listsProduct } from '../sales/sold-order.ts';
import { countUnreadable, type Unreadable } from '../unreadable.ts';
import type { AccessFacts, Diagnosis } from './diagnosis.ts';

/** Counts what is unreadable in the orders and could change the diagnosis. Empty if the student holds the product. */
export function unreadableAccess({ orders, product }: AccessFacts, { holds }: Diagnosis): Unreadable {
  if (holds) return {};
  return countUnreadable(
    orders.flatMap((order) => [
      ...(listsProduct(order, product) === undefined ? (['products'] as const) : []),
      ...(isKnownStatus(order) ? [] : (['statuses'] as const)),
    ]),
  );
}
