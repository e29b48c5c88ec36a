import { found, pageOf, type SectionHandlers } from '../handler.ts';
import type { Academy } from '../state/academy.ts';
import { inPeriod } from '../state/collections.ts';
import type { OrderRecord } from '../state/orders.ts';
import { orderBody } from '../views.ts';

const defaultPerPage = 25;

/** The last list of each academy: a reader of pages asks for it again. What it filters by never changes in an order. */
const lastLists = new WeakMap<Academy, { readonly key: string; readonly orders: readonly OrderRecord[] }>();

export const ordersHandlers: SectionHandlers<'orders'> = {
  'orders.listOrders': ({ status = 'paid', user_email, page, per_page = defaultPerPage, ...bounds }, academy) => {
    const isWithin = inPeriod(bounds);
    // An email fits exactly: the case counts.
    const fits = (order: OrderRecord) =>
      (status === 'all' || order.status === status) &&
      (user_email === undefined || order.user_email === user_email) &&
      isWithin(order);
    const key = JSON.stringify([academy.orders.size, status, user_email, bounds]);
    const last = lastLists.get(academy);
    // Reads all: an index for each filter would be code.
    const all = last?.key === key ? last.orders : academy.orders.all().filter(fits).reverse();
    lastLists.set(academy, { key, orders: all });
    const perPage = page === undefined ? all.length : per_page;
    const { rows, pages } = pageOf(all, page ?? 1, perPage);
    const total_pages = page === undefined ? 1 : pages;
    return {
      orders: rows.map((row) => orderBody(academy, row)),
      meta: { total_pages, total_orders: all.length, current_page: page ?? 1, per_page: perPage },
    };
  },

  'orders.getOrder': ({ order_id }, academy) => orderBody(academy, found(academy.orders.get(order_id), 'Order')),
};
