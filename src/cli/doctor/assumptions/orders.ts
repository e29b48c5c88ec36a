import { order } from '../../../contract/orders.ts';
import { idOf } from '../../../insights/sales/products-in-order.ts';
import { type Assumption, type Difference, ordersPerPage, type RecordList } from '../assumption.ts';
import { fieldDifferences } from '../field-differences.ts';
import { listDifferences } from '../list-differences.ts';
import { differs, holds } from '../mask-value.ts';

/** Checked in order-values.ts and order-products.ts. */
const checkedElsewhere = [
  ...['id', 'amount', 'currency', 'status', 'user_email', 'created_at'],
  ...['courses', 'digital_products', 'bundles'],
];

function totalDifferences({ rows, meta }: RecordList): readonly Difference[] {
  const total = idOf(meta.total_orders) ?? (Number(meta.total_orders) === 0 ? 0 : undefined);
  if (total === undefined || meta.total_orders === null) return differs('the orders have no total');
  return total >= rows.length
    ? holds
    : differs(`the total is ${total}, less than the ${rows.length} orders on the page`);
}

function pageDifferences({ rows, meta }: RecordList): readonly Difference[] {
  const [pages, total] = [idOf(meta.total_pages), idOf(meta.total_orders)];
  if (pages === undefined) return differs('the number of pages is not shown');
  const isEnough = total === undefined || pages * Math.max(rows.length, idOf(meta.per_page) ?? 0) >= total;
  return isEnough
    ? holds
    : differs(`${pages} pages of ${rows.length} orders contain fewer orders than the total of ${total}`);
}

function sizeDifferences({ rows, meta }: RecordList): readonly Difference[] {
  const size = idOf(meta.per_page);
  if (rows.length > ordersPerPage)
    return differs(`a page contains ${rows.length} orders instead of the requested ${ordersPerPage}`);
  if (size !== undefined && size < ordersPerPage) return differs(`a page contains at most ${size} orders`);
  return holds;
}

export const orderAssumptions: readonly Assumption[] = [
  {
    id: 'orders.list',
    statement: 'The list of orders is under `orders`, and each entry is a record.',
    undocumented: 'Endpoints, Orders: documented',
    fallback: 'read: a bare list, or the only list in the answer. Other entries are counted as unreadable (`orders`)',
    impact: 'these entries are missing from every answer about orders; the answers say that they are incomplete',
    check: ({ orders }) => orders && listDifferences(orders, 'orders'),
  },
  {
    id: 'orders.fields',
    statement: 'An order has the documented fields with the documented types.',
    undocumented: 'Order: documented',
    fallback: 'read: answers leave out missing fields',
    impact: 'answers leave out these fields',
    check: ({ orders }) => orders && fieldDifferences(order, orders.rows, checkedElsewhere),
  },
  {
    id: 'orders.total',
    statement: '`meta.total_orders` is the number of orders in the complete list.',
    undocumented: 'Endpoints, Orders: documented; whether filters count is not shown',
    fallback: 'cannot tell: orders are read until a page is empty or brings nothing new',
    impact: 'sales questions read until an empty page, one more request, and no total proves that nothing is missing',
    check: ({ orders }) => orders && totalDifferences(orders),
  },
  {
    id: 'orders.pages',
    statement: '`meta.total_pages` is the number of pages.',
    undocumented: 'Endpoints, Orders: documented',
    fallback: 'read: the number of orders and an empty page end the list',
    impact: 'the number of requests is not known in advance',
    check: ({ orders }) => {
      if (orders === undefined || orders.rows.length === 0) return undefined;
      return pageDifferences(orders);
    },
  },
  {
    id: 'orders.page-size',
    statement: 'A page contains as many orders as `per_page` requests, up to 100.',
    undocumented: 'Limits: a maximum of 100; what happens to other values is not shown',
    fallback: 'read: pages of any length, until one is empty or brings nothing new',
    impact: 'sales questions need more or larger requests than they announce',
    check: ({ orders }) => (orders === undefined || orders.rows.length === 0 ? undefined : sizeDifferences(orders)),
  },
];
