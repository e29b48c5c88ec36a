import { notFound, pagesOf, type SectionHandlers, windowOf } from '../handler.ts';
import { timeOf } from '../state/collections.ts';
import type { OrderFilter } from '../state/orders.ts';
import { orderBody } from '../views.ts';

const defaultPerPage = 25;

export const ordersHandlers: SectionHandlers<'orders'> = {
  'orders.listOrders': (input, academy) => {
    const { page, per_page: perPage = defaultPerPage } = input;
    const { rows, total } = academy.orders.find(
      filterOf(input),
      page === undefined ? undefined : windowOf(page, perPage),
    );
    return {
      orders: rows.map((row) => orderBody(academy, row)),
      meta:
        page === undefined
          ? { total_pages: 1, total_orders: total, current_page: 1, per_page: total }
          : { total_pages: pagesOf(total, perPage), total_orders: total, current_page: page, per_page: perPage },
    };
  },

  'orders.getOrder': ({ order_id }, academy) => {
    const order = academy.orders.get(order_id);
    if (order === undefined) throw notFound('Order');
    return orderBody(academy, order);
  },
};

interface OrderQuery {
  status?: OrderFilter['status'] | undefined;
  user_email?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

function filterOf({ status = 'paid', user_email, created_after, created_before }: OrderQuery): OrderFilter {
  return {
    status,
    userEmail: user_email,
    from: created_after === undefined ? undefined : timeOf(created_after),
    before: created_before === undefined ? undefined : timeOf(created_before),
  };
}
