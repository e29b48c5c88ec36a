import * as z from 'zod';
import { orderStatuses } from '../../src/contract/orders.ts';
import { type RowTime, rowTimes } from '../../src/insights/api-time.ts';
import { revenueText } from '../../src/insights/money.ts';
import type { KnownProduct } from '../../src/insights/sales/products-in-order.ts';
import { isUnpaid, newestFirst, type SoldOrder } from '../../src/insights/sales/sold-order.ts';
import { openAmount, type UnpaidProduct, unpaidProducts } from '../../src/insights/sales/unpaid-orders.ts';
import { sharedNamesText } from '../../src/insights/students/select-students.ts';
import { listOutput, memberText, numbers, recordOutput, texts } from '../../src/mcp/output/output-schemas.ts';
import { bodyWithout, counted, scannedTable } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented } from '../../src/mcp/tool.ts';
import { resolveProduct } from '../../src/workflows/find-product.ts';
import { type CheckedUnpaid, checkUnpaid, dropHeld } from '../../src/workflows/sales/check-people.ts';
import { type Coverage, coverageOf } from '../../src/workflows/sales/coverage.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import { type AskedOrders, askOrders } from '../../src/workflows/sales/read-orders.ts';
import { presentOrders } from './coverage-text.ts';
import * as shared from './sales-output.ts';
import * as common from './shared-arguments.ts';

const unpaidRow = recordOutput({
  email: memberText(),
  name: memberText(),
  ...texts('product', 'status', 'amount', 'currency', 'last_order_at'),
  ...numbers('attempts'),
  ...texts('order_id'),
});

function shownUnpaid({ email, name, product, orders, endedOn }: UnpaidProduct, unchecked: boolean, rowTime: RowTime) {
  const [last] = orders;
  return {
    email: shared.nameLine(email),
    name: shared.nameLine(name),
    product: product.ref,
    status: last?.status,
    amount: shared.nameLine(last?.amount),
    currency: last?.currency,
    last_order_at: rowTime(last?.created_at),
    attempts: orders.length,
    order_id: last?.id,
    access_ended: endedOn,
    unchecked: unchecked || undefined,
  };
}

interface Scope extends AskedOrders {
  product: KnownProduct | undefined;
  limit: number;
}

/** Unpaid orders that list no product, whose buyers no product of the table names. */
function emptyNote(orders: readonly SoldOrder[]): string | undefined {
  const isEmpty = ({ products, unread }: SoldOrder) => products.length + unread.length === 0;
  // The API does not say in which order it lists orders of one time.
  const empty = orders.filter((order) => isUnpaid(order) && isEmpty(order)).sort(newestFirst);
  if (empty.length === 0) return undefined;
  const ids = empty.slice(0, 5).map(({ id, email }) => `${id} (${shared.nameLine(email) ?? 'no email'})`);
  const more = empty.length > ids.length ? `, ${empty.length - ids.length} more` : '';
  return `not shown, as they list no product, which a revocation takes off unpaid orders too: ${ids.join(', ')}${more}; get_order describes each`;
}

function notesOf(checked: CheckedUnpaid, page: readonly UnpaidProduct[], scope: Scope, read: Coverage) {
  const orders = scope.scan.orders();
  const { rows, unchecked } = checked;
  return shared.noteOf(
    shared.readingNote(scope),
    rows.length === 0
      ? `nothing found: among ${counted(orders.length, 'order')} of the period no failed or pending one is of a product that its buyer lacks`
      : 'amount: the whole last order, other products included',
    shared.titleNote(read),
    sharedNamesText(page),
    emptyNote(orders),
    rows.some(({ endedOn }) => endedOn !== undefined) && 'access_ended: the buyer had the product until then',
    unchecked.size > 0 && shared.uncheckedNote(checked, 'have paid outside the period, or still have access'),
  );
}

function presentUnpaid(checked: CheckedUnpaid, scope: Scope): Presented {
  const { product, cursor, scan, limit, context } = scope;
  const { rows: found, unchecked } = checked;
  const read = coverageOf(scan, context, { product, people: checked.sources });
  const coverage = shared.withUnchecked(read, checked, scan.advice);
  const rowTime = rowTimes(cursor.period.timezone, cursor.period);
  const people = new Set(found.map(({ buyer }) => buyer)).size;
  const orders = new Set(found.flatMap((row) => row.orders.map(({ id }) => id))).size;
  const open_amount = openAmount(found);
  const bound = shared.boundOf(coverage, true);
  const of = product === undefined ? 'any product' : shared.productText(product);
  const who = `${shared.bounded(people === 1 ? '1 person' : `${people} people`, bound)} without the product`;
  const sums = `${counted(orders, 'order')}, ${revenueText(open_amount)} open`;
  const rows = found.map((row) => shownUnpaid(row, unchecked.has(row.buyer), rowTime));
  const answer = (start: number, end: number) => {
    const page = found.slice(start, end);
    return {
      summary: `Unpaid orders of ${of} ${shared.salesPeriodText(cursor)}: ${who}, ${sums}.`,
      data: {
        product: product && shared.productFacts(product),
        period: shared.salesPeriodFacts(cursor),
        totals: { counts_are: bound, people, orders, open_amount },
        note: notesOf(checked, page, scope, read),
        unpaid: rows.slice(start, end),
        titles: product === undefined && page.length > 0 ? shared.titlesOf(page.map((row) => row.product)) : undefined,
      },
    };
  };
  const tables = { unpaid: scannedTable(rows, Object.keys(unpaidRow.shape), read.pages_left === undefined) };
  const body = bodyWithout('product', 'period', 'totals');
  const short = { list: 'unpaid', usual: ['status', 'currency', 'attempts'] };
  return { ...presentOrders(answer, coverage, { lengths: found.length, limit }, scope), tables, body, short };
}

export const unpaidOrders = defineTool({
  name: 'unpaid_orders',
  toolset: 'insights',
  title: 'Find unpaid orders',
  description:
    'Lists people (customers) who started checkout but never paid (open, abandoned, owed money): payment failed (declined, did not go through) or is pending, and who still lack the product: who, amount, date, attempts; newest first. All failed orders: list_orders; why one cannot open a product: diagnose_access.',
  cost: {
    'per page of 100 orders': 1,
    'with product': 1,
    'for each person, if the period is bounded': [0, 2],
    'for each product held before': [0, 2],
  },
  example: { period: 'last_week' },
  effect: 'read',
  carriesUserContent: true,
  input: z.strictObject({
    product: common.product.optional(),
    product_type: common.productType,
    ...common.periodArguments,
    limit: common.limit(50),
    cursor: common.cursor,
    max_requests: common.maxRequests,
  }),
  output: listOutput('unpaid', unpaidRow, shared.salesOutput),
  run: async (input, context) => {
    const { product: wanted, product_type, limit = 50 } = input;
    const cursorScope = ['unpaid_orders', wanted, product_type] as const;
    const find = async (cursor: OrderCursor) =>
      wanted === undefined ? undefined : await resolveProduct({ product: wanted, product_type }, cursor, context);
    const question = { cursorScope, statuses: orderStatuses, find };
    const { found: product, maxRequests, ...reading } = await askOrders(input, question, context);
    const { scan, cursor } = reading;
    const found = unpaidProducts(scan.orders(), product?.ref);
    const isBounded = cursor.period.from !== undefined || scan.question().futureFrom === undefined;
    const key = JSON.stringify([cursor.period, product?.ref]);
    const check = () =>
      isBounded ? checkUnpaid(found, key, maxRequests, context) : dropHeld(found, maxRequests, context);
    const unread = { unchecked: new Set<string>(), left: 0, stopped: undefined };
    const isRead = scan.scanned().pagesLeft === 0;
    const checked = isRead ? await check() : { rows: found.filter((row) => row.paidAt === undefined), ...unread };
    scan.keep();
    return presentUnpaid(checked, { ...reading, product, limit });
  },
});
