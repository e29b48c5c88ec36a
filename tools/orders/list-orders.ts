import * as orders from '../../src/contract/orders.ts';
import { rowTimes, spanOf, withRowTime } from '../../src/insights/row-time.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, pageOutput } from '../../src/mcp/output/output-schemas.ts';
import { pageDoubt, pageFacts, presentPage, unknownLength } from '../../src/mcp/output/pagination.ts';
import { emptyOrdersNote } from './empty-orders.ts';
import { filterOrders } from './filter-orders.ts';
import { orderColumns, orderDetail, orderRow, presentOrder } from './order-row.ts';

const defaultPerPage = 25;

export const listOrders = defineApiTool({
  name: 'list_orders',
  toolset: 'orders',
  title: 'List orders',
  description:
    'Lists raw orders, failed ones too, by status, buyer email and time, a page at a time. wallet_executed orders are purchases too; all shows every status. granted: true marks amount 0 (granted, free, coupon). For buyers of a product use find_buyers, for one order get_order.',
  cost: { requests: 1, per: 'page' },
  example: { status: 'paid', page: 1, per_page: 5 },
  operation: orders.listOrders,
  extra: { detail: orderDetail },
  output: listOutput('orders', orderRow, pageOutput),
  ask: ({ detail: _detail, page = 1, per_page = defaultPerPage, ...filter }, { api }) =>
    // Without page the API sends all orders.
    api.call(orders.listOrders, { ...filter, page, per_page }),
  present: (
    { items, meta },
    { page = 1, per_page: size = defaultPerPage, detail = 'summary', ...filters },
    _titles,
    _facts,
    { now, timezone },
  ) => {
    const { user_email, status = 'paid' } = filters;
    const asked = filterOrders(items, filters, pageDoubt(meta, 'orders', page, { records: items.length, size }));
    const isWhole = asked.orders.length === items.length;
    // The API's total also counts orders outside the filter.
    const facts = pageFacts(meta, isWhole ? meta?.total_orders : undefined, page, { records: items.length, size });
    const note = asked.orders.length === 0 ? emptyOrdersNote(filters, facts, now()) : unknownLength(facts);
    const beside = { ...(note === undefined ? {} : { note }), ...(asked.coverage && { coverage: asked.coverage }) };
    const rowTime = rowTimes(timezone, spanOf(filters, now()));
    return presentPage({
      noun: 'orders',
      list: 'orders',
      rows: asked.orders.map((order) =>
        detail === 'full' ? presentOrder(order, detail) : withRowTime(presentOrder(order, detail), rowTime),
      ),
      columns: orderColumns(detail),
      fixed: { ...(status === 'all' ? {} : { status }), ...(user_email === undefined ? {} : { email: user_email }) },
      facts,
      size,
      usual: ['currency', 'status'],
      beside,
      problem: asked.doubt,
    });
  },
});
