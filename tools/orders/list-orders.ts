import type { OrderStatus } from '../../src/contract/orders.ts';
import * as orders from '../../src/contract/orders.ts';
import { shapedElsewhere } from '../../src/contract/schemas/listed-form.ts';
import { rowTimes, spanOf, timeOf } from '../../src/insights/api-time.ts';
import {
  emptyPeriodNote,
  hasOffset,
  isoTime,
  type PeriodName,
  periodFacts,
  resolveMoment,
  resolvePeriod,
} from '../../src/insights/period.ts';
import { readProducts } from '../../src/insights/sales/products-in-order.ts';
import { buyerKey, isKnownStatus, statusOf } from '../../src/insights/sales/sold-order.ts';
import { countUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, pageOutput } from '../../src/mcp/output/output-schemas.ts';
import { type PageFacts, pageDoubt, pageFacts, presentPage, unknownLength } from '../../src/mcp/output/pagination.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { periodArguments } from '../insights/shared-arguments.ts';
import { type Order, orderColumns, orderDetail, orderRow, presentOrder } from './order-row.ts';

interface OrderFilters {
  status?: OrderStatus | 'all' | undefined;
  user_email?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

type Filter = keyof OrderFilters;

/** The filters that an order fails. A value that the order does not have passes. */
function failedFilters(
  order: Order,
  { status = 'paid', user_email, created_after, created_before }: OrderFilters,
): Filter[] {
  const shown = status === 'all' ? status : statusOf(order.status);
  const email = user_email === undefined ? undefined : order.user_email;
  const [after, before] = [timeOf(created_after), timeOf(created_before)];
  const at = after === undefined && before === undefined ? undefined : timeOf(order.created_at);
  const fails: Filter[] = [];
  if (shown !== status && isKnownStatus({ status: shown })) fails.push('status');
  if (user_email !== undefined && email !== undefined && buyerKey(email) !== buyerKey(user_email))
    fails.push('user_email');
  if (at !== undefined && after !== undefined && at < after) fails.push('created_after');
  if (at !== undefined && before !== undefined && at > before) fails.push('created_before');
  return fails;
}

/** Applies the filters again to the orders of a page. `pageDoubt`: why the page itself may be incomplete. */
function filterOrders(items: readonly Order[], filters: OrderFilters, pageDoubt: string | undefined) {
  const fails = items.map((order) => failedFilters(order, filters));
  const passed = items.filter((_order, index) => fails[index]?.length === 0);
  const orders = passed.map((order) => ({ order, products: readProducts(order) }));
  const discarded = items.length - orders.length;
  const ignored = [...new Set(fails.flat())];
  const unread = orders.filter(({ products }) => products.unread.length > 0);
  const unreadable = countUnreadable(unread.map(() => 'products' as const));
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

type Bounds = Pick<OrderFilters, 'created_after' | 'created_before'>;
type BoundsQuestion = Bounds & { period?: PeriodName | undefined; timezone?: string | undefined };

/** The bounds with a time zone: the API document does not say in which one a bare date begins. */
async function boundsOf({ period, ...asked }: BoundsQuestion, context: Pick<ToolContext, 'now' | 'timezone'>) {
  const { timezone = context.timezone, created_after, created_before } = asked;
  if (period !== undefined) {
    const now = context.now();
    const found = await resolvePeriod({ ...asked, period, timezone }, now);
    const { from, to } = periodFacts(found);
    const bounds: Bounds = {
      ...(from === undefined ? {} : { created_after: from }),
      // A period that goes on has no end for the API: no order is later than now.
      ...(found.to < now.getTime() ? { created_before: to } : {}),
    };
    return { bounds, period: periodFacts(found) };
  }
  const moment = async (name: keyof Bounds, written: string | undefined) =>
    written === undefined || hasOffset(written) ? written : isoTime(await resolveMoment(name, written, timezone));
  const [after, before] = await Promise.all([
    moment('created_after', created_after),
    moment('created_before', created_before),
  ]);
  const bounds: Bounds = {
    ...(after === undefined ? {} : { created_after: after }),
    ...(before === undefined ? {} : { created_before: before }),
  };
  return { bounds };
}

type BoundFacts = Awaited<ReturnType<typeof boundsOf>>;

export const listOrders = defineApiTool({
  name: 'list_orders',
  toolset: 'orders',
  title: 'List orders',
  description:
    'Lists raw orders (payments, purchases, transactions) of a day or time, latest first, failed ones too, by status and buyer email, in pages. wallet_executed is paid too; all shows every status. granted: true marks amount 0 (granted, free, coupon). For buyers of a product use find_buyers, for one order get_order.',
  cost: { requests: 1, per: 'page' },
  example: { status: 'paid', page: 1, per_page: 5 },
  operation: orders.listOrders,
  extra: { detail: orderDetail, period: shapedElsewhere(periodArguments.period), timezone: periodArguments.timezone },
  output: listOutput('orders', orderRow, pageOutput),
  around: async (
    { detail: _detail, period, timezone, page = 1, per_page = defaultPerPage, ...filter },
    context,
    send,
  ) => {
    const { created_after, created_before, ...others } = filter;
    const facts = await boundsOf({ period, timezone, created_after, created_before }, context);
    // Without page the API sends all orders.
    return [await send({ ...others, ...facts.bounds, page, per_page }), facts];
  },
  present: (
    { items, meta },
    { page = 1, per_page: size = defaultPerPage, detail = 'summary', timezone: zone, status = 'paid', user_email },
    _titles,
    { bounds, period }: BoundFacts,
    { now, timezone: usualZone },
  ) => {
    const timezone = zone ?? usualZone;
    const filters: OrderFilters = { status, user_email, ...bounds };
    const filtered = filterOrders(items, filters, pageDoubt(meta, 'orders', page, { records: items.length, size }));
    const isWhole = filtered.orders.length === items.length;
    // The API's total also counts orders outside the filter.
    const facts = pageFacts(meta, isWhole ? meta?.total_orders : undefined, page, { records: items.length, size });
    const note = filtered.orders.length === 0 ? emptyOrdersNote(filters, facts, now()) : unknownLength(facts);
    const beside = {
      ...(note === undefined ? {} : { note }),
      ...(filtered.coverage && { coverage: filtered.coverage }),
      ...(period === undefined ? {} : { period }),
    };
    const rowTime = rowTimes(timezone, spanOf(filters, now()));
    return presentPage({
      noun: 'orders',
      list: 'orders',
      rows: filtered.orders.map(({ order, products }) => {
        const row = presentOrder(order, detail, products);
        if (detail === 'summary' && typeof row.created_at === 'string') row.created_at = rowTime(row.created_at);
        return row;
      }),
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
