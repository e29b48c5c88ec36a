import type { OrderStatus } from '../../src/contract/orders.ts';
import { timeOf } from '../../src/insights/api-time.ts';
import { buyerKey, isKnownStatus, soldOrder } from '../../src/insights/sales/sold-order.ts';
import { countUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { hasUnreadProducts, type Order } from './order-products.ts';

/** Filters of a question, as they were given. */
export interface OrderFilters {
  status?: OrderStatus | 'all' | undefined;
  user_email?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

type Filter = keyof OrderFilters;

/** A day and the offset of a zone: so far a bound may be meant, which does not say its time or its zone. */
const looseMs = 38 * 3_600_000;

function looseness(bound: string): number {
  return /(Z|[+-]\d\d:?\d\d)$/i.test(bound.slice(10)) ? 0 : looseMs;
}

/** Filters that an order does not pass; what it does not show is believed. */
function failed(order: Order, { status = 'paid', user_email, created_after, created_before }: OrderFilters): Filter[] {
  const sold = soldOrder(order);
  const { at } = sold;
  const [after, before] = [timeOf(created_after), timeOf(created_before)];
  const fails: [Filter, boolean][] = [
    ['status', status !== 'all' && isKnownStatus(sold) && sold.status !== status],
    ['user_email', user_email !== undefined && sold.email !== undefined && sold.buyer !== buyerKey(user_email)],
    ['created_after', at !== undefined && after !== undefined && at < after - looseness(created_after ?? '')],
    ['created_before', at !== undefined && before !== undefined && at > before + looseness(created_before ?? '')],
  ];
  return fails.flatMap(([filter, isFailed]) => (isFailed ? [filter] : []));
}

export interface AskedOrders {
  /** Those that were asked for. */
  readonly orders: Order[];
  /** Stands beside them where the answer is not certainly whole. */
  readonly coverage: Record<string, unknown> | undefined;
  /** Why it is not, in words. */
  readonly doubt: string | undefined;
}

/** Applies the filters of a question again to what came. `pageDoubt`: what speaks against the page itself. */
export function askedOrders(
  items: readonly Order[],
  filters: OrderFilters,
  pageDoubt: string | undefined,
): AskedOrders {
  const fails = items.map((order) => failed(order, filters));
  const orders = items.filter((_order, index) => fails[index]?.length === 0);
  const discarded = items.length - orders.length;
  const ignored = [...new Set(fails.flat())];
  const unreadable = countUnreadable(orders.filter(hasUnreadProducts).map(() => 'products' as const));
  const strays = `${discarded} orders came that ${ignored.join(' and ')} leaves out, so that the filter does not mean what it says`;
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
