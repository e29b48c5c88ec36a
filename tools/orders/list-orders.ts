import type { OrderStatus } from '../../src/contract/orders.ts';
import * as orders from '../../src/contract/orders.ts';
import { timeOf } from '../../src/insights/api-time.ts';
import { emptyPeriodNote } from '../../src/insights/period.ts';
import { rowTimes, spanOf, withRowTime } from '../../src/insights/row-time.ts';
import { buyerKey, isKnownStatus, soldOrder } from '../../src/insights/sales/sold-order.ts';
import { countUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, pageOutput } from '../../src/mcp/output/output-schemas.ts';
import { type PageFacts, pageDoubt, pageFacts, presentPage, unknownLength } from '../../src/mcp/output/pagination.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { hasUnreadProducts, type Order } from './order-products.ts';
import { orderColumns, orderDetail, orderRow, presentOrder } from './order-row.ts';

/** The filter arguments of a call. */
interface OrderFilters {
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

interface FilteredOrders {
  /** The orders that pass every filter. */
  readonly orders: Order[];
  /** Present if the answer may be incomplete. */
  readonly coverage: Record<string, unknown> | undefined;
  /** Why the answer may be incomplete. */
  readonly doubt: string | undefined;
}

/** Applies the filters again to the orders of a page. `pageDoubt`: why the page itself may be incomplete. */
function filterOrders(items: readonly Order[], filters: OrderFilters, pageDoubt: string | undefined): FilteredOrders {
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

/** Without it an assistant would say that a student bought nothing if the order has their email in capitals. */
const spellingNote =
  'no order of that status has exactly this email; capitals count. get_student_details shows the paid orders of a student under every spelling of the email';

/** Undefined for a page that should have orders. */
function beyondText({ page, total_pages: pages, total }: PageFacts): string | undefined {
  if (pages === undefined) return `page ${page} has no orders: it may be beyond the last page`;
  if (page <= pages) return undefined;
  return `page ${page} is beyond the last one: ${pages} pages${total === undefined ? '' : `, ${total} orders`}`;
}

/** The filters of a call: "status paid, from 2026-01-01, before 2026-02-01". */
function askedText({ status = 'paid', created_after: after, created_before: before }: OrderFilters): string {
  const bounds = [
    ...(after === undefined ? [] : [`from ${after}`]),
    ...(before === undefined ? [] : [`before ${before}`]),
  ];
  return [status === 'all' ? 'of any status' : `of status ${status}`, ...bounds].join(', ');
}

/** Why a page of orders is empty. */
function emptyOrdersNote(filters: OrderFilters, facts: PageFacts, now: Date): string | undefined {
  const { user_email, status } = filters;
  if (facts.page > 1) return beyondText(facts);
  const impossible = emptyPeriodNote(filters, now);
  if (impossible !== undefined) return impossible;
  if (user_email !== undefined) return spellingNote;
  const other = status === 'all' ? '' : '; status "all" shows every status';
  return `no order ${askedText(filters)}${other}`;
}

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
    const filtered = filterOrders(items, filters, pageDoubt(meta, 'orders', page, { records: items.length, size }));
    const isWhole = filtered.orders.length === items.length;
    // The API's total also counts orders outside the filter.
    const facts = pageFacts(meta, isWhole ? meta?.total_orders : undefined, page, { records: items.length, size });
    const note = filtered.orders.length === 0 ? emptyOrdersNote(filters, facts, now()) : unknownLength(facts);
    const beside = {
      ...(note === undefined ? {} : { note }),
      ...(filtered.coverage && { coverage: filtered.coverage }),
    };
    const rowTime = rowTimes(timezone, spanOf(filters, now()));
    return presentPage({
      noun: 'orders',
      list: 'orders',
      rows: filtered.orders.map((order) =>
        detail === 'full' ? presentOrder(order, detail) : withRowTime(presentOrder(order, detail), rowTime),
      ),
      columns: orderColumns(detail),
      fixed: { ...(status === 'all' ? {} : { status }), ...(user_email === undefined ? {} : { email: user_email }) },
      facts,
      size,
      usual: ['currency', 'status'],
      beside,
      problem: filtered.doubt,
    });
  },
});
