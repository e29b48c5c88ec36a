import { found, pageOf, type SectionHandlers } from '../handler.ts';
import { rowsOfPeriod } from '../state/collections.ts';
import type { OrderRecord } from '../state/orders.ts';
import { orderBody } from '../views.ts';

const defaultPerPage = 25;

export const ordersHandlers: SectionHandlers<'orders'> = {
  'orders.listOrders': ({ status = 'paid', user_email, page, per_page = defaultPerPage, ...bounds }, academy) => {
    const within = rowsOfPeriod(academy.orders.all(), bounds);
    // An email fits exactly: the case counts.
    const fits = (order: OrderRecord) =>
      (status === 'all' || order.status === status) && (user_email === undefined || order.user_email === user_email);
    // Reads all of the period: an index for each filter would be code.
    const all = within.filter(fits).reverse();
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
