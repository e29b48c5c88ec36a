import { unreadableEntries } from '../../src/api/http/answer-facts.ts';
import type { OrderStatus } from '../../src/contract/orders.ts';
import * as orders from '../../src/contract/orders.ts';
import { shapedElsewhere } from '../../src/contract/schemas/input-fields.ts';
import { rowTimes, spanOf, timeOf } from '../../src/insights/api-time.ts';
import {
  applyFilters,
  emptyPeriodNote,
  filterBy,
  hasOffset,
  isAtLeast,
  isAtMost,
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
import { presentPage, verifyPage } from '../../src/mcp/output/pagination.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { shownPages } from '../../src/workflows/scan-store.ts';
import { periodArguments } from '../insights/shared-arguments.ts';
import { type Order, orderColumns, orderDetail, orderRow, presentOrder } from './order-row.ts';

interface OrderFilters {
  status?: OrderStatus | 'all' | undefined;
  user_email?: string | undefined;
  created_after?: string | undefined;
  created_before?: string | undefined;
}

const createdAt = (order: Order) => timeOf(order.created_at);
const isStatus = (own: string | undefined, wanted: string) => own === wanted || !isKnownStatus({ status: own });
const isBuyer = (one: string, other: string) => buyerKey(one) === buyerKey(other);

function filtersFor({ status = 'paid', user_email, created_after, created_before }: OrderFilters) {
  return [
    ...filterBy('status', status === 'all' ? undefined : status, (one: Order) => statusOf(one.status), isStatus),
    ...filterBy('user_email', user_email, (one: Order) => one.user_email, isBuyer),
    ...filterBy('created_after', timeOf(created_after), createdAt, isAtLeast),
    ...filterBy('created_before', timeOf(created_before), createdAt, isAtMost),
  ];
}

/** Applies the filters again to the orders of a page. A value that an order does not have passes. */
function filterOrders(items: readonly Order[], filters: OrderFilters) {
  const { passed, ignored } = applyFilters(items, filtersFor(filters));
  const orders = passed.map((order) => ({ order, products: readProducts(order) }));
  const unread = orders.filter(({ products }) => products.unread.length > 0);
  return { orders, ignored, unreadable: countUnreadable(unread.map(() => 'products' as const)) };
}

/** Why the orders of a page may not be all; `stopped`: why the page itself may not be. Undefined without a doubt. */
function doubtOf(
  items: readonly Order[],
  { orders, ignored, unreadable }: ReturnType<typeof filterOrders>,
  stopped: string | undefined,
) {
  const discarded = items.length - orders.length;
  const strays = `the API returned ${counted(discarded, 'order')} outside the filter ${ignored.join(' and ')}, so it may not apply that filter as documented`;
  const doubts = [stopped, discarded > 0 ? strays : undefined, unreadableText(unreadable) || undefined];
  const doubt = doubts.filter((text) => text !== undefined).join('; ');
  if (doubt === '') return undefined;
  const facts = {
    ...(Object.keys(unreadable).length > 0 ? { unreadable } : {}),
    ...(discarded > 0 ? { discarded, ignored_filters: ignored } : {}),
    stopped,
  };
  return { doubt, coverage: { complete: false, ...facts } };
}

/** Without it an assistant would say that a student bought nothing if the order has their email in capitals. */
const spellingNote =
  'no order of that status has exactly this email; capitals count. get_student_details shows the paid orders of a student under every spelling of the email';

/** The filters of a call: "status paid, from 2026-01-01, before 2026-02-01". */
function askedText({ status = 'paid', created_after: after, created_before: before }: OrderFilters): string {
  const bounds = [
    ...(after === undefined ? [] : [`from ${after}`]),
    ...(before === undefined ? [] : [`before ${before}`]),
  ];
  return [status === 'all' ? 'of any status' : `of status ${status}`, ...bounds].join(', ');
}

/** Why the first page has no orders. */
function emptyOrdersNote(filters: OrderFilters, now: Date): string {
  const { user_email, status } = filters;
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
      created_after: from,
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
    created_after: after,
    created_before: before,
  };
  return { bounds };
}

type BoundFacts = Awaited<ReturnType<typeof boundsOf>>;

export const listOrders = defineApiTool({
  name: 'list_orders',
  toolset: 'orders',
  title: 'List orders',
  description:
    'Lists single orders (payments, purchases, transactions) of a day or time, last first, failed ones too, by status and buyer email, in pages. wallet_executed is paid too; all shows every status. granted: true marks amount 0 (granted, free, coupon). Buyers of a product: find_buyers, one order: get_order.',
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
    answer,
    { page = 1, per_page: size = defaultPerPage, detail = 'summary', timezone: zone, status = 'paid', user_email },
    _titles,
    { bounds, period }: BoundFacts,
    { now, timezone: usualZone, stores },
  ) => {
    const { items, meta } = answer;
    const timezone = zone ?? usualZone;
    const filters: OrderFilters = { status, user_email, ...bounds };
    const filtered = filterOrders(items, filters);
    // The API's total also counts orders outside the filter.
    const total = filtered.ignored.length > 0 ? undefined : meta?.total_orders;
    const question = { page, size, meta, total, records: items, lost: unreadableEntries(answer) };
    const { facts, problem } = verifyPage(
      question,
      shownPages(stores, `list_orders ${JSON.stringify([filters, size])}`),
    );
    const { doubt, coverage } = doubtOf(items, filtered, problem) ?? {};
    const note = filtered.orders.length === 0 && page === 1 ? emptyOrdersNote(filters, now()) : undefined;
    const beside = {
      note,
      coverage,
      period,
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
      fixed: { ...(status === 'all' ? {} : { status }), email: user_email },
      facts,
      size,
      usual: ['currency', 'status'],
      beside,
      problem: doubt,
    });
  },
});
