import * as z from 'zod';
import { orderStatuses } from '../../src/contract/orders.ts';
import { type RowTime, rowTimes } from '../../src/insights/api-time.ts';
import { revenueText } from '../../src/insights/money.ts';
import type { KnownProduct } from '../../src/insights/sales/products-in-order.ts';
import { newestFirst, type SoldOrder } from '../../src/insights/sales/sold-order.ts';
import { openAmount, type UnpaidProduct, unpaidProducts } from '../../src/insights/sales/unpaid-orders.ts';
import { sharedNamesText } from '../../src/insights/students/select-students.ts';
import { listOutput, memberText } from '../../src/mcp/output/output-schemas.ts';
import { counted, field, inline, table } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented } from '../../src/mcp/tool.ts';
import type { Json } from '../../src/shared/json.ts';
import { resolveProduct } from '../../src/workflows/find-product.ts';
import { type CheckedUnpaid, checkUnpaid, dropHeld } from '../../src/workflows/sales/check-people.ts';
import { type Coverage, coverageOf } from '../../src/workflows/sales/coverage.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import { type AskedOrders, askOrders } from '../../src/workflows/sales/read-orders.ts';
import { coverageText, firstRow, presentOrders } from './coverage-text.ts';
import {
  boundOf,
  nameLine,
  noteOf,
  productFacts,
  productText,
  readingNote,
  salesOutput,
  salesPeriodFacts,
  salesPeriodText,
  titleNote,
  uncheckedNote,
  withUnchecked,
} from './sales-output.ts';
import * as common from './shared-arguments.ts';

const unpaidRow = z.looseObject({
  email: memberText(),
  name: memberText(),
  product: z.string().optional().describe('"course 7"'),
  status: z.string().optional(),
  amount: z.string().optional().describe('Of the whole last order'),
  currency: z.string().optional(),
  last_order_at: z.string().optional(),
  attempts: z.int().optional(),
  order_id: z.string().optional(),
});

/** The columns of the text. Rare values share the last one. */
const columns = ['email', 'name', 'product', 'amount', 'date', 'order_id', 'besides'];

/** The cells of a row by heading, which states the usual values. */
function cellsOf({ last_order_at, status, amount, currency, attempts, access_ended, unchecked, ...row }: Json): Json {
  const rare = [
    ...(status === 'failed' ? [] : [inline(status)]),
    ...(attempts === 1 ? [] : [`${attempts} attempts`]),
    ...(access_ended === undefined ? [] : [`access_ended ${access_ended}`]),
    ...(unchecked === undefined ? [] : ['unchecked']),
  ];
  const sum = [amount, currency].filter((part) => part !== undefined).join(' ');
  return { ...row, amount: sum, date: last_order_at, besides: rare.length > 0 ? rare : undefined };
}

/** A line for each row. The last cell is left out where it is empty. */
function unpaidLines(rows: readonly Json[], names: readonly string[]): string[] {
  const lines = table(rows.map(cellsOf), names).map((line) => line.replace(/ \| $/, ''));
  return [`unpaid (${rows.length}), status failed and 1 attempt if besides names no other:`, ...lines];
}

const hasEnded = (rows: readonly UnpaidProduct[]) => rows.some(({ endedOn }) => endedOn !== undefined);

function shownUnpaid(
  { email, name, product, orders, endedOn }: UnpaidProduct,
  unchecked: boolean,
  rowTime: RowTime,
): Json {
  const [last] = orders;
  return {
    email: nameLine(email),
    name: nameLine(name),
    product: product.ref,
    status: last?.status,
    amount: nameLine(last?.amount),
    currency: last?.currency,
    last_order_at: rowTime(last?.created_at),
    attempts: orders.length,
    order_id: last?.id,
    access_ended: endedOn,
    unchecked: unchecked ? true : undefined,
  };
}

function titlesIn(rows: readonly UnpaidProduct[]): Json | undefined {
  const titles = rows.map(({ product }) => [product.ref, nameLine(product.title) ?? '']);
  return rows.length === 0 ? undefined : Object.fromEntries(titles);
}

interface Scope extends AskedOrders {
  product: KnownProduct | undefined;
  limit: number;
}

/** Unpaid orders that list no product, whose buyers no product of the table names. */
function emptyNote(orders: readonly SoldOrder[]): string | undefined {
  const isEmpty = ({ products, unread }: SoldOrder) => products.length + unread.length === 0;
  const isUnpaid = ({ status }: SoldOrder) => status === 'failed' || status === 'pending';
  // The API does not say in which order it lists orders of one time.
  const empty = orders.filter((order) => isUnpaid(order) && isEmpty(order)).sort(newestFirst);
  const ids = empty.slice(0, 5).map(({ id, email }) => `${id} (${nameLine(email) ?? 'no email'})`);
  const more = empty.length > ids.length ? `, ${empty.length - ids.length} more` : '';
  return empty.length === 0
    ? undefined
    : `not shown, as they list no product, which a revocation takes off unpaid orders too: ${ids.join(', ')}${more}; get_order describes each`;
}

function notesOf(
  checked: CheckedUnpaid,
  page: readonly UnpaidProduct[],
  scope: Scope,
  read: Coverage,
): string | undefined {
  const { scan } = scope;
  const all = counted(scan.orders().length, 'order');
  const { rows, unchecked } = checked;
  return noteOf(
    readingNote(scope),
    rows.length === 0
      ? `nothing found: among ${all} of the period no failed or pending one is of a product that its buyer lacks`
      : 'amount: the whole last order, other products included',
    titleNote(read),
    sharedNamesText(page),
    emptyNote(scan.orders()),
    hasEnded(rows) ? 'access_ended: the buyer had the product until then' : undefined,
    unchecked.size > 0 ? uncheckedNote(checked, 'have paid outside the period, or still have access') : undefined,
  );
}

function totalsOf(rows: readonly UnpaidProduct[]) {
  const orders = new Set(rows.flatMap((row) => row.orders.map(({ id }) => id)));
  return {
    people: new Set(rows.map(({ buyer }) => buyer)).size,
    orders: orders.size,
    open_amount: openAmount(rows),
  };
}

/** The answer with the next rows. If more remain, it has a cursor for them. */
function presentUnpaid(checked: CheckedUnpaid, scope: Scope): Presented {
  const { product, cursor, scan, limit, context } = scope;
  const { rows: found, unchecked } = checked;
  const read = coverageOf(scan, context, { product, people: checked.sources });
  const coverage = withUnchecked(read, checked, scan.advice);
  const start = firstRow(coverage, cursor);
  const rowTime = rowTimes(cursor.period.timezone, cursor.period);
  const shown = found.slice(start, start + limit);
  const rows = shown.map((row) => shownUnpaid(row, unchecked.has(row.buyer), rowTime));
  const totals = totalsOf(found);
  const of = product === undefined ? 'any product' : productText(product);
  const sums = `${counted(totals.orders, 'order')}, ${revenueText(totals.open_amount)} open`;
  const bound = boundOf(coverage, {
    isAllRead: read.pages_left === undefined,
    unchecked: unchecked.size,
    mayLose: true,
  });
  const people = `${bound === undefined ? '' : `${bound} `}${totals.people === 1 ? '1 person' : `${totals.people} people`}`;
  const summary = `Unpaid orders of ${of} ${salesPeriodText(cursor)}: ${people} without the product, ${sums}.`;
  // The first line names the only product.
  const names = product === undefined ? columns : columns.filter((name) => name !== 'product');
  const lines = (name: string, value: unknown) =>
    name === 'unpaid' && Array.isArray(value) ? unpaidLines(value, names) : field(name, value);
  const answer = (count: number) => ({
    summary,
    data: {
      product: product && productFacts(product),
      period: salesPeriodFacts(cursor),
      totals: { counts_are: bound, ...totals },
      note: notesOf(checked, shown.slice(0, count), scope, read),
      unpaid: rows.slice(0, count),
      titles: product === undefined ? titlesIn(shown.slice(0, count)) : undefined,
    },
  });
  // The first line shows the product, the period and the totals.
  const body = ({
    product: _product,
    period: _period,
    totals: _totals,
    coverage: _coverage,
    next_cursor,
    ...data
  }: Json) => [
    ...Object.entries(data).flatMap(([name, value]) => lines(name, value)),
    coverageText(coverage, cursor.period),
    ...(next_cursor === undefined ? [] : field('next_cursor', next_cursor)),
  ];
  const short = { list: 'unpaid', usual: ['status', 'currency', 'attempts'] };
  const place = { rows: rows.length, start, total: found.length };
  return { ...presentOrders(answer, coverage, place, scope), body, short };
}

export const unpaidOrders = defineTool({
  name: 'unpaid_orders',
  toolset: 'insights',
  title: 'Find unpaid orders',
  description:
    'Lists people (customers) who started checkout but never paid (open, abandoned, owed money): payment failed (declined, did not go through) or is pending, and who still lack the product: who, amount, date, attempts; newest first. All failed orders: list_orders; why one cannot open a product: diagnose_access.',
  cost: {
    requests: 1,
    per: 'page of 100 orders',
    plus: [
      { requests: 1, when: 'with product' },
      { requests: [0, 2], when: 'for each person, if the period is bounded' },
      { requests: [0, 2], when: 'for each product held before' },
    ],
  },
  example: { period: 'last_week' },
  effect: 'read',
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({
    product: common.product.optional(),
    product_type: common.productType,
    ...common.periodArguments,
    limit: common.limit(50),
    cursor: common.cursor,
    max_requests: common.maxRequests,
  }),
  output: listOutput('unpaid', unpaidRow, salesOutput),
  run: async (input, context) => {
    const { product: wanted, product_type, limit = 50 } = input;
    const cursorScope = ['unpaid_orders', wanted, product_type] as const;
    const find = async (cursor: OrderCursor) =>
      wanted === undefined ? undefined : await resolveProduct({ product: wanted, product_type }, cursor, context);
    const question = { cursorScope, statuses: orderStatuses, find };
    const { found: product, maxRequests, ...asked } = await askOrders(input, question, context);
    const { scan, cursor } = asked;
    const { period } = cursor;
    const found = unpaidProducts(scan.orders(), product?.ref);
    const isBounded = period.from !== undefined || scan.question().futureFrom === undefined;
    const isRead = scan.scanned().pagesLeft === 0;
    const key = JSON.stringify([period, product?.ref]);
    const checked = isRead
      ? await (isBounded ? checkUnpaid(found, key, maxRequests, context) : dropHeld(found, maxRequests, context))
      : {
          rows: found.filter(({ paidAt }) => paidAt === undefined),
          unchecked: new Set<string>(),
          left: 0,
          stopped: undefined,
        };
    scan.keep();
    return presentUnpaid(checked, { ...asked, product, limit });
  },
});
