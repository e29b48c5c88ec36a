import { unreadableEntries } from '../../src/api/http/answer-facts.ts';
import type { InputOf } from '../../src/contract/operation.ts';
import * as orders from '../../src/contract/orders.ts';
import { shapedElsewhere } from '../../src/contract/schemas/input-fields.ts';
import { rowTimes, spanOf, timeOf, withRowTime } from '../../src/insights/api-time.ts';
import * as periods from '../../src/insights/period.ts';
import { readProducts } from '../../src/insights/sales/products-in-order.ts';
import { buyerKey, isKnownStatus, statusOf } from '../../src/insights/sales/sold-order.ts';
import { countUnreadable, unreadableText } from '../../src/insights/unreadable.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, pageOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentPage, verifyPage } from '../../src/mcp/output/pagination.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { shownPages } from '../../src/workflows/scan-store.ts';
import { positive } from '../insights/sales-output.ts';
import { periodArguments } from '../insights/shared-arguments.ts';
import { type Order, orderColumns, orderDetail, orderRow, presentOrder } from './order-row.ts';

type OrderFilters = Pick<
  InputOf<typeof orders.listOrders>,
  'status' | 'user_email' | 'created_after' | 'created_before'
>;

const createdAt = (order: Order) => timeOf(order.created_at);
const isStatus = (own: string | undefined, wanted: string) => own === wanted || !isKnownStatus({ status: own });
const isBuyer = (one: string, other: string) => buyerKey(one) === buyerKey(other);

function filtersFor({ status = 'paid', user_email, created_after, created_before }: OrderFilters) {
  const wanted = status === 'all' ? undefined : status;
  return [
    ...periods.filterBy('status', wanted, (one: Order) => statusOf(one.status), isStatus),
    ...periods.filterBy('user_email', user_email, (one: Order) => one.user_email, isBuyer),
    ...periods.filterBy('created_after', timeOf(created_after), createdAt, periods.isAtLeast),
    ...periods.filterBy('created_before', timeOf(created_before), createdAt, periods.isAtMost),
  ];
}

/** Applies the filters again to the orders of a page. A value that an order does not have passes. */
function filterOrders(items: readonly Order[], filters: OrderFilters) {
  const { passed, ignored } = periods.applyFilters(items, filtersFor(filters));
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
  const discarded = positive(items.length - orders.length);
  const strays = `outside the filter ${ignored.join(' and ')}, so it may not apply that filter as documented`;
  const doubts = compact([
    stopped,
    discarded !== undefined && `the API returned ${counted(discarded, 'order')} ${strays}`,
    unreadableText(unreadable),
  ]);
  if (doubts.length === 0) return undefined;
  return { doubt: doubts.join('; '), coverage: { complete: false, discarded, ignored_filters: discarded && ignored } };
}

/** Without it an assistant would say that a student bought nothing if the order has their email in capitals. */
const spellingNote =
  'no order of that status has exactly this email; capitals count. get_student_details shows the paid orders of a student under every spelling of the email';

/** Why the first page has no orders. */
function emptyOrdersNote(filters: OrderFilters, now: Date): string {
  const { user_email, status = 'paid', created_after: after, created_before: before } = filters;
  const impossible = periods.emptyPeriodNote(filters, now);
  if (impossible !== undefined) return impossible;
  if (user_email !== undefined) return spellingNote;
  const isAll = status === 'all';
  const question = [
    isAll ? 'of any status' : `of status ${status}`,
    after && `from ${after}`,
    before && `before ${before}`,
  ];
  return `no order ${compact(question).join(', ')}${isAll ? '' : '; status "all" shows every status'}`;
}

const defaultPerPage = 25;

type Bounds = Pick<OrderFilters, 'created_after' | 'created_before'>;
type BoundsQuestion = Bounds & { period?: periods.PeriodName | undefined; timezone?: string | undefined };

/** The bounds with a time zone: the API document does not say in which one a bare date begins. */
async function boundsOf({ period: name, ...rest }: BoundsQuestion, context: Pick<ToolContext, 'now' | 'timezone'>) {
  const { timezone = context.timezone, created_after, created_before } = rest;
  const now = context.now();
  if (name !== undefined) {
    const found = await periods.resolvePeriod({ ...rest, period: name, timezone }, now);
    const period = periods.periodFacts(found);
    // A period that goes on has no end for the API: no order is later than now.
    const end = found.to < now.getTime() ? period.to : undefined;
    return { bounds: { created_after: period.from, created_before: end }, period };
  }
  const moment = async (argument: keyof Bounds, written: string | undefined) =>
    written === undefined || periods.hasOffset(written)
      ? written
      : periods.isoTime(await periods.resolveMoment(argument, written, timezone));
  const bounds = {
    created_after: await moment('created_after', created_after),
    created_before: await moment('created_before', created_before),
  };
  return { bounds };
}

export const listOrders = defineApiTool({
  name: 'list_orders',
  toolset: 'orders',
  title: 'List orders',
  description:
    'Lists single orders (payments, purchases, transactions) of a day or time, last first, failed ones too, by status and buyer email, in pages. wallet_executed is paid too; all shows every status. granted: true marks amount 0 (granted, free, coupon). Buyers of a product: find_buyers, one order: get_order.',
  cost: { 'per page': 1 },
  example: { status: 'paid', page: 1, per_page: 5 },
  operation: orders.listOrders,
  extra: { detail: orderDetail, period: shapedElsewhere(periodArguments.period), timezone: periodArguments.timezone },
  output: listOutput('orders', orderRow, pageOutput),
  around: async ({ detail: _detail, page = 1, per_page = defaultPerPage, ...filter }, context, send) => {
    const { period, timezone, created_after, created_before, ...others } = filter;
    const facts = await boundsOf({ period, timezone, created_after, created_before }, context);
    // Without page the API sends all orders.
    return [await send({ ...others, ...facts.bounds, page, per_page }), facts];
  },
  present: (answer, input, _titles, { bounds, period }: Awaited<ReturnType<typeof boundsOf>>, context) => {
    const { items, meta } = answer;
    const { page = 1, per_page: size = defaultPerPage, detail = 'summary', status = 'paid', user_email } = input;
    const filters: OrderFilters = { status, user_email, ...bounds };
    const filtered = filterOrders(items, filters);
    // The API's total also counts orders outside the filter.
    const total = filtered.ignored.length > 0 ? undefined : meta?.total_orders;
    const question = { page, size, meta, total, records: items, lost: unreadableEntries(answer) };
    const pages = shownPages(context.stores, `list_orders ${JSON.stringify([filters, size])}`);
    const { facts, problem } = verifyPage(question, pages);
    const { doubt, coverage } = doubtOf(items, filtered, problem) ?? {};
    const now = context.now();
    const note = filtered.orders.length === 0 && page === 1 ? emptyOrdersNote(filters, now) : undefined;
    const rowTime = rowTimes(input.timezone ?? context.timezone, spanOf(filters, now));
    return presentPage({
      list: 'orders',
      rows: filtered.orders.map(({ order, products }) => {
        const row = presentOrder(order, detail, products);
        return detail === 'summary' ? withRowTime(row, rowTime) : row;
      }),
      columns: orderColumns(detail),
      fixed: { ...(status === 'all' ? {} : { status }), email: user_email },
      facts,
      size,
      usual: ['currency', 'status'],
      beside: { note, coverage, period },
      problem: doubt,
    });
  },
});
