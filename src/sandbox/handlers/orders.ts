import { found, pageOf, type SectionHandlers } from '../handler.ts';
import { inPeriod } from '../state/collections.ts';
import type { OrderRecord } from '../state/orders.ts';
import { orderBody } from '../views.ts';

const defaultPerPage = 25;

export const ordersHandlers: SectionHandlers<'orders'> = {
  'orders.listOrders': ({ status = 'paid', user_email, page, per_page = defaultPerPage, ...bounds }, academy) => {
    const isWithin = inPeriod(bounds);
    const orders = academy.orders.all();
    // In order of time, so a period is one slice of them.
    const within = orders.slice(orders.findIndex(isWithin), orders.findLastIndex(isWithin) + 1);
    // An email fits exactly: the case counts.
    const fits = (order: OrderRecord) =>
      (status === 'all' || order.status === status) && (user_email === undefined || order.user_email === user_email);
    // Reads all: an index for each filter would be code.
    const isFiltered = status !== 'all' || user_email !== undefined;
    const all = (isFiltered ? within.filter(fits) : within).reverse();
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
