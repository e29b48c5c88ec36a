import { found, pagesOf, type SectionHandlers, windowOf } from '../handler.ts';
import { periodOf } from '../state/collections.ts';
import { orderBody } from '../views.ts';

const defaultPerPage = 25;

export const ordersHandlers: SectionHandlers<'orders'> = {
  'orders.listOrders': (input, academy) => {
    const { status = 'paid', user_email: userEmail, page, per_page: perPage = defaultPerPage } = input;
    const window = page === undefined ? undefined : windowOf(page, perPage);
    const { rows, total } = academy.orders.find({ status, userEmail, ...periodOf(input) }, window);
    return {
      orders: rows.map((row) => orderBody(academy, row)),
      meta:
        page === undefined
          ? { total_pages: 1, total_orders: total, current_page: 1, per_page: total }
          : { total_pages: pagesOf(total, perPage), total_orders: total, current_page: page, per_page: perPage },
    };
  },

  'orders.getOrder': ({ order_id }, academy) => orderBody(academy, found(academy.orders.get(order_id), 'Order')),
};
