import type { OrderStatus } from '../../src/contract/orders.ts';
import { timeOf } from '../../src/insights/api-time.ts';
import { buyerKey, isKnownStatus, soldOrder } from '../../src/insights/sales/sold-order.ts';
import { countUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { hasUnreadProducts, type Order } from './order-products.ts';

/** The filter arguments of a call. */
export interface OrderFilters {
  status?: OrderStatus | 'all' | undefined;
  user_email?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

type Filter = keyof OrderFilters;

/** A bound without a time or a zone may mean any moment within a day plus the largest zone offset (38 hours). */
const toleranceMs = 38 * 3_600_000;

function toleranceOf(bound: string): number {
  return /(Z|[+-]\d\d:?\d\d)$/i.test(bound.slice(10)) ? 0 : toleranceMs;
}

/** The filters that an order fails. A value that the order does not have passes. */
function failedFilters(
  order: Order,
  { status = 'paid', user_email, created_after, created_before }: OrderFilters,
): Filter[] {
  const sold = soldOrder(order);
  const { at } = sold;
  const [after, before] = [timeOf(created_after), timeOf(created_before)];
  const fails: [Filter, boolean][] = [
    ['status', status !== 'all' && isKnownStatus(sold) && sold.status !== status],
    ['user_email', user_email !== undefined && sold.email !== undefined && sold.buyer !== buyerKey(user_email)],
    ['created_after', at !== undefined && after !== undefined && at < after - toleranceOf(created_after ?? '')],
    ['created_before', at !== undefined && before !== undefined && at > before + toleranceOf(created_before ?? '')],
  ];
  return fails.flatMap(([filter, isFailed]) => (isFailed ? [filter] : []));
}

export interface FilteredOrders {
  /** The orders that pass every filter. */
  readonly orders: Order[];
  /** Present if the answer may be incomplete. */
  readonly coverage: Record<string, unknown> | undefined;
  /** Why the answer may be incomplete. */
  readonly doubt: string | undefined;
}

/** Applies the filters again to the orders of a page. `pageDoubt`: why the page itself may be incomplete. */
export function filterOrders(
  items: readonly Order[],
  filters: OrderFilters,
  pageDoubt: string | undefined,
): FilteredOrders {
  const fails = items.map((order) => failedFilters(order, filters));
  const orders = items.filter((_order, index) => fails[index]?.length === 0);
  const discarded = items.length - orders.length;
  const ignored = [...new Set(fails.flat())];
  const unreadable = countUnreadable(orders.filter(hasUnreadProducts).map(() => 'products' as const));
  const strays = `the API returned ${counted(discarded, 'order')} outside the filter ${ignored.join(' and ')}, so it may not apply that filter as documented`;
  const doubts = [pageDoubt, discarded > 0 ? strays : undefined, unreadableText(unreadable) || undefined];
  const doubt = doubts.filter((text) => text !== undefined).join('; ');
  if (doubt === '') return { orders, coverage: undefined, doubt: undefined };
  const facts = {
    ...(Object.keys(unreadable).length > 0 ? { unreadable } : {}),
    ...(discarded > 0 ? { discarded, ignored_filters: ignored } : {}),
    ...(pageDoubt === undefined ? {} : { stopped: pageDoubt }),
  };
  return { orders, coverage: { complete: false, ...facts }, doubt };
}
