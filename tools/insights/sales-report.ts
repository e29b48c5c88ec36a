import * as z from 'zod';
import { productTypes } from '../../src/contract/products.ts';
import { flag } from '../../src/contract/schemas/input-fields.ts';
import type { KnownProduct } from '../../src/insights/sales/products-in-order.ts';
import {
  type Grouping,
  groupings,
  refuseManyGroups,
  type Sales,
  type SalesGroup,
  type SortKey,
  salesOf,
  sortKeys,
} from '../../src/insights/sales/sales-report.ts';
import { byMembersKey } from '../../src/mcp/output/fence-free-text.ts';
import { anyRecord, listOutput } from '../../src/mcp/output/output-schemas.ts';
import { field, scannedTable, type TableShapes, type TextBody } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import {
  listedProducts,
  productsOfType,
  requirePurchasable,
  resolveProduct,
} from '../../src/workflows/find-product.ts';
import { type Coverage, coverageOf } from '../../src/workflows/sales/coverage.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import { type AskedOrders, askOrders } from '../../src/workflows/sales/read-orders.ts';
import { firstRow, isAllRead, presentOrders } from './coverage-text.ts';
import {
  boundOf,
  emptyNote,
  nameLine,
  noteOf,
  peopleText,
  positive,
  productFacts,
  productlessNote,
  productText,
  productTotalNote,
  readingNote,
  revenueOutput,
  salesOutput,
  salesPeriodFacts,
  salesPeriodText,
  statusText,
  titleNote,
  totalNote,
  totalsFacts,
  totalsText,
  unclearNote,
  unpaidNote,
} from './sales-output.ts';
import * as common from './shared-arguments.ts';

const groupRow = z.looseObject({
  key: z.string(),
  label: z.string().optional(),
  orders: z.int(),
  granted: z.int().optional(),
  buyers: z.int(),
  revenue: revenueOutput.optional(),
  order_total: anyRecord.optional(),
  alone_total: anyRecord.optional(),
  partial: z.boolean().optional(),
});

type Row = z.output<typeof groupRow>;

const filled = <Sums extends object>(sums: Sums | undefined) =>
  sums !== undefined && Object.keys(sums).length > 0 ? sums : undefined;

const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);

interface RowView {
  readonly group_by: Grouping;
  readonly product: unknown;
  readonly detail: 'summary' | 'full' | undefined;
  readonly include_granted: boolean;
}

/** Whether the sums are those of a product: whole orders, and orders of this product alone. */
const isOfProduct = ({ group_by, product }: Pick<RowView, 'group_by' | 'product'>) =>
  group_by === 'product' || product !== undefined;

function shownGroup(group: SalesGroup, scope: RowView): Row {
  const { key, label, orders, granted, buyers, paying, revenue, alone, byCurrency, isPartial } = group;
  const isFull = scope.detail === 'full';
  return {
    key: nameLine(key) ?? '',
    // The key of a whole month says it.
    label: scope.group_by === 'month' && !isPartial ? undefined : nameLine(label),
    orders,
    granted: positive(granted),
    buyers: scope.include_granted ? paying : buyers,
    holders: scope.include_granted ? buyers : undefined,
    [isOfProduct(scope) ? 'order_total' : 'revenue']: filled(revenue),
    alone_total: alone === undefined || isSame(alone, revenue) ? undefined : alone,
    average: isFull ? filled(byCurrency.average) : undefined,
    buyers_by_currency: isFull ? byCurrency.buyers : undefined,
    partial: isPartial ? true : undefined,
  } as Row;
}

const firstColumns = ['key', 'label', 'orders', 'granted', 'buyers', 'holders'];
const sumColumns = ['revenue', 'order_total', 'alone_total', 'average', 'buyers_by_currency'];

/** The row with a column for each currency: `order_total USD`. */
function flatRow(row: Json): Json {
  const cells = Object.entries(row).map(([name, value]) =>
    isObject(value) ? Object.entries(value).map(([currency, sum]) => [`${name} ${currency}`, sum]) : [[name, value]],
  );
  return Object.fromEntries(cells.flat());
}

function columnsOf(rows: readonly Json[]): string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const sums = sumColumns.flatMap((sum) => [...names].filter((name) => name.startsWith(`${sum} `)).sort());
  return [...firstColumns, ...sums];
}

function tablesOf(all: readonly Row[], isRead: boolean): TableShapes {
  const flat = all.map(flatRow);
  return { groups: scannedTable(flat, columnsOf(flat), isRead) };
}

/** The first line shows these. */
const inFirstLine = ['product', 'product_type', 'period', 'groups_total'];

/** The totals that the first line does not show. */
function otherTotals(totals: unknown): Json | undefined {
  const { average, buyers_by_currency } = isObject(totals) ? totals : {};
  return average === undefined ? undefined : { average, buyers_by_currency };
}

function shownValue(name: string, value: unknown): unknown {
  if (name === 'totals') return otherTotals(value);
  return name === 'groups' && Array.isArray(value) ? value.map(flatRow) : value;
}

/** Omits what the first line shows. Each currency has a column. */
const body: TextBody = (data, tables) => {
  const fields = Object.entries(data).map(([name, value]) => [name, shownValue(name, value)] as const);
  const shown = fields.filter(([name, value]) => value !== undefined && !inFirstLine.includes(name));
  return shown.flatMap(([name, value]) => field(name, value, tables));
};

interface Scope extends RowView, AskedOrders {
  /** Whether the call gives `group_by`. */
  isGrouped: boolean;
  sort: SortKey | undefined;
  statuses: readonly string[] | undefined;
  product_type: string | undefined;
  product: KnownProduct | undefined;
  note: string | undefined;
}

/** The most products or countries in the first part of an answer; the next part has all others. */
const firstGroups = 10;

/** A question about one product is not about those in the same orders, unless it asks for groups. */
const leastGroups = 1;

function groupsShown({ length }: readonly Row[], start: number, scope: Scope): number {
  const { group_by, isGrouped, product, detail } = scope;
  const isRanked = group_by === 'product' || group_by === 'country';
  if (!isRanked || start > 0 || detail === 'full') return length - start;
  return Math.min(length, product === undefined || isGrouped ? firstGroups : leastGroups);
}

function sumsNote({ groups, totals }: Sales, scope: Scope): string | undefined {
  if (totals.orders === 0 || !isOfProduct(scope)) return undefined;
  return groups.some(({ alone }) => alone !== undefined) ? totalNote : productTotalNote;
}

function notesOf(sales: Sales, scope: Scope, coverage: Coverage): string | undefined {
  const { groups, totals, currency } = sales;
  const { scan, sort, note } = scope;
  const { statuses } = scan.question();
  return noteOf(
    readingNote(scope),
    emptyNote(totals.orders, scan.orders().length, statuses),
    sumsNote(sales, scope),
    unclearNote(sales.unclear),
    unpaidNote(statuses),
    productlessNote(sales.productless),
    titleNote(coverage),
    sort === 'revenue' && currency !== '' ? `sorted by the sums in ${currency}` : undefined,
    groups.some(({ isPartial }) => isPartial) ? 'partial: the period begins or ends within it' : undefined,
    note,
  );
}

function ofText({ product, product_type }: Scope): string {
  if (product !== undefined) return ` of ${productText(product)}`;
  return product_type === undefined ? '' : ` of type ${product_type}`;
}

/** " Shown: 1 to 10 of 28 groups; next_cursor has the others." The others of a question about one product are not its own. */
function shownText(start: number, end: number, { length }: readonly Row[], isRead: boolean, isOne: boolean): string {
  if (end - start >= length) return '';
  const others =
    isRead && end < length ? `next_cursor has the ${isOne ? 'products of the same orders' : 'others'}` : '';
  if (isOne && start === 0 && end === 1) return others === '' ? '' : ` Shown: this product; ${others}.`;
  return ` Shown: ${start + 1} to ${end} of ${length} groups${others === '' ? '' : `; ${others}`}.`;
}

const unsoldFacts = ({ unsold }: Sales) =>
  unsold.length === 0 ? undefined : Object.fromEntries(unsold.map(({ ref, title }) => [ref, nameLine(title) ?? '']));

/** The answer with the next groups. If more remain, it has a cursor for them. */
function presentSales(sales: Sales, scope: Scope): Presented {
  const { group_by, product, product_type, cursor, scan, context, include_granted, statuses } = scope;
  const { totals, alone, byCurrency } = sales;
  const coverage = coverageOf(scan, context, { product });
  const isRead = isAllRead(coverage);
  const start = firstRow(coverage, cursor);
  const all = sales.groups.map((group) => shownGroup(group, scope));
  const rows = all.slice(start, start + groupsShown(all, start, scope));
  const bound = boundOf(coverage, { isAllRead: isRead });
  const view = { include_granted, alone, bound };
  const what = statusText(statuses)?.replace('o', 'O') ?? 'Sales';
  const summary = `${what}${ofText(scope)} ${salesPeriodText(cursor)}: ${peopleText(totals, view)}, ${totalsText(totals, view)}.`;
  const answer = (count: number) => ({
    summary: summary + shownText(start, start + count, all, isRead, product !== undefined && !scope.isGrouped),
    data: {
      product: product && productFacts(product),
      product_type: product === undefined ? product_type : undefined,
      period: salesPeriodFacts(cursor),
      statuses,
      totals: {
        ...totalsFacts(totals, view),
        average: filled(byCurrency.average),
        buyers_by_currency: byCurrency.buyers,
      },
      note: notesOf(sales, scope, coverage),
      group_by,
      groups_total: count < all.length ? all.length : undefined,
      groups: rows.slice(0, count),
      unsold: start === 0 ? unsoldFacts(sales) : undefined,
      // Buyers write the country of their billing address.
      [byMembersKey]: group_by === 'country' && count > 0 ? ['key'] : undefined,
    },
  });
  const presented = presentOrders(answer, coverage, { rows: rows.length, start, total: all.length }, scope);
  return { ...presented, tables: tablesOf(all, isRead), body };
}

type ListedProducts = Awaited<ReturnType<typeof listedProducts>>;

/** `listed` is undefined until all orders are read. */
function unsoldNote(listed: ListedProducts | undefined, { unsold }: Sales): string | undefined {
  if (listed === undefined) return 'the products without a sale follow when all orders are read';
  const hidden = unsold.flatMap(({ ref }) => (listed.unpublished.includes(ref) ? [ref] : []));
  return noteOf(
    hidden.length > 0 ? `unsold and not published: ${hidden.join(', ')}` : undefined,
    listed.isCut ? 'unpublished courses beyond the first 25 of search_products may be missing' : undefined,
  );
}

export const salesReport = defineTool({
  name: 'sales_report',
  toolset: 'insights',
  title: 'Report sales',
  description:
    'Shows how much money we made (earnings, income, turnover; what a product brought in), how many sales, what sold most (best sellers) in a period: orders, buyers, revenue, average by currency, in total and by product or country (ten largest), day, week or month. Orders of amount 0 count separately; an order with several products counts in each (shared_orders). Buyers: find_buyers. next_cursor reads on.',
  ui: { resourceUri: 'ui://academy/sales.html' },
  cost: {
    requests: 1,
    per: 'page of 100 orders',
    plus: [
      { requests: 1, when: 'with product' },
      { requests: [0, 5], when: 'for include_unsold' },
    ],
  },
  example: { period: 'last_week', group_by: 'day' },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({
    ...common.periodArguments,
    group_by: z.enum(groupings).describe('Default product; days follow timezone').optional(),
    sort: z.enum(sortKeys).describe('Largest first; key from A').optional(),
    product: common.product.optional(),
    product_type: z.enum(productTypes).describe('Without product: only this type').optional(),
    include_unsold: flag('Names unsold products').optional(),
    detail: z.enum(['summary', 'full']).describe('full: all groups, averages').optional(),
    include_granted: common.includeGranted,
    statuses: common.statuses,
    cursor: common.cursor,
    max_requests: common.maxRequests,
  }),
  output: listOutput('groups', groupRow, { ...salesOutput, group_by: z.enum(groupings) }),
  check: ({ include_unsold, group_by = 'product', product }) => {
    const isPossible = include_unsold !== true || (group_by === 'product' && product === undefined);
    if (!isPossible) throw refuseInput(['include_unsold needs group_by product, without product']);
  },
  run: async (input, context) => {
    const { include_granted = false, group_by = 'product', sort, include_unsold = false } = input;
    const statuses = common.statusesOf(input.statuses);
    const { product: wanted, product_type } = input;
    const words = [wanted, product_type, include_granted, statuses, group_by, sort, include_unsold] as const;
    const cursorScope = ['sales_report', ...words] as const;
    if (product_type !== undefined) requirePurchasable({ product: wanted ?? product_type, product_type });
    const find = async (cursor: OrderCursor) => {
      await refuseManyGroups(group_by, cursor.period);
      if (wanted !== undefined)
        return { product: await resolveProduct({ product: wanted, product_type }, cursor, context) };
      return product_type === undefined ? {} : { type: await productsOfType(context.api, product_type) };
    };
    const { found, ...asked } = await askOrders(input, { cursorScope, statuses, find }, context);
    const { product, type } = found;
    const { scan } = asked;
    // A product without a sale so far may be on the pages left.
    const isUnsoldKnown = include_unsold && scan.scanned().pagesLeft === 0;
    const listed = isUnsoldKnown ? await listedProducts(context.api, product_type) : undefined;
    // The last day ends by the server's clock, since the newest orders are of that day.
    const { period: counted } = scan.question();
    const question = { group_by, period: counted, product: product?.ref, isOfType: type?.isOfType, include_granted };
    const sales = await salesOf(scan.orders(), { ...question, sort, listed: listed?.products });
    const note = noteOf(
      include_unsold ? unsoldNote(listed, sales) : undefined,
      type?.isCut === true ? 'the API lists only 25 challenges: others are missing' : undefined,
    );
    const view = {
      group_by,
      isGrouped: input.group_by !== undefined,
      sort,
      detail: input.detail,
      include_granted,
      statuses: input.statuses,
      product_type,
      note,
    };
    return presentSales(sales, { ...view, ...asked, product });
  },
});
