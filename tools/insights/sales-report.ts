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
  salesOf,
  sortKeys,
} from '../../src/insights/sales/sales-report.ts';
import { byMembersKey } from '../../src/mcp/output/fence-free-text.ts';
import { anyRecord, listOutput } from '../../src/mcp/output/output-schemas.ts';
import { bodyWith, counted, field, scannedTable } from '../../src/mcp/output/text-format.ts';
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
import * as shared from './sales-output.ts';
import * as common from './shared-arguments.ts';

const groupRow = z.looseObject({
  key: z.string(),
  label: z.string().optional(),
  orders: z.int(),
  granted: z.int().optional(),
  buyers: z.int(),
  revenue: shared.revenueOutput.optional(),
  order_total: anyRecord.optional(),
  alone_total: anyRecord.optional(),
  partial: z.boolean().optional(),
});

const filled = <Sums extends object>(sums: Sums | undefined) =>
  sums !== undefined && Object.keys(sums).length > 0 ? sums : undefined;

const input = z.strictObject({
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
});

interface Scope extends AskedOrders {
  input: z.output<typeof input>;
  group_by: Grouping;
  product: KnownProduct | undefined;
  note: string | undefined;
}

/** Whether the sums are those of a product: whole orders, and orders of this product alone. */
const isOfProduct = ({ group_by, product }: Scope) => group_by === 'product' || product !== undefined;

function shownGroup(group: SalesGroup, scope: Scope): Json {
  const { key, label, orders, granted, buyers, paying, revenue, alone, byCurrency, isPartial } = group;
  const { detail, include_granted = false } = scope.input;
  const isFull = detail === 'full';
  return {
    key: shared.nameLine(key) ?? '',
    // The key of a whole month says it.
    label: scope.group_by === 'month' && !isPartial ? undefined : shared.nameLine(label),
    orders,
    granted: shared.positive(granted),
    buyers: include_granted ? paying : buyers,
    holders: include_granted ? buyers : undefined,
    [isOfProduct(scope) ? 'order_total' : 'revenue']: filled(revenue),
    alone_total: JSON.stringify(alone) === JSON.stringify(revenue) ? undefined : alone,
    average: isFull ? filled(byCurrency.average) : undefined,
    buyers_by_currency: isFull ? byCurrency.buyers : undefined,
    partial: isPartial || undefined,
  };
}

/** The totals that the first line does not show. */
function totalsLine(totals: unknown): string[] {
  const { average, buyers_by_currency } = isObject(totals) ? totals : {};
  return average === undefined ? [] : field('totals', { average, buyers_by_currency });
}

/** The most products or countries in the first part of an answer; the next part has all others. */
const firstGroups = 10;

/** A question about one product is not about those in the same orders, unless it asks for groups. */
const isAboutOne = ({ product, input }: Scope) => product !== undefined && input.group_by === undefined;

function mostGroups(start: number, scope: Scope): number {
  const isRanked = scope.group_by === 'product' || scope.group_by === 'country';
  if (!isRanked || start > 0 || scope.input.detail === 'full') return Number.POSITIVE_INFINITY;
  return isAboutOne(scope) ? 1 : firstGroups;
}

function notesOf(sales: Sales, scope: Scope, coverage: Coverage): string | undefined {
  const { groups, totals, currency, productless } = sales;
  const hasAlone = groups.some(({ alone }) => alone !== undefined);
  const own = {
    sums: totals.orders > 0 && isOfProduct(scope) && (hasAlone ? shared.totalNote : shared.productTotalNote),
    productless:
      productless > 0 && `${counted(productless, 'counted order')} ${productless === 1 ? 'lists' : 'list'} no product`,
  };
  return shared.noteOf(
    shared.salesNotes(sales, scope, coverage, own),
    scope.input.sort === 'revenue' && currency !== '' && `sorted by the sums in ${currency}`,
    groups.some(({ isPartial }) => isPartial) && 'partial: the period begins or ends within it',
    scope.note,
  );
}

function ofText({ product, input: { product_type } }: Scope): string {
  if (product !== undefined) return ` of ${shared.productText(product)}`;
  return product_type === undefined ? '' : ` of type ${product_type}`;
}

/** " Shown: 1 to 10 of 28 groups; next_cursor has the others." The others of a question about one product are not its own. */
function shownText(start: number, end: number, length: number, isRead: boolean, isOne: boolean): string {
  if (end - start >= length) return '';
  const others = `; next_cursor has the ${isOne ? 'products of the same orders' : 'others'}`;
  const more = isRead && end < length ? others : '';
  if (isOne && start === 0 && end === 1) return more && ` Shown: this product${more}.`;
  return ` Shown: ${start + 1} to ${end} of ${length} groups${more}.`;
}

function presentSales(sales: Sales, scope: Scope): Presented {
  const { input, group_by, product, cursor, scan, context } = scope;
  const { product_type, include_granted = false, statuses } = input;
  const { totals, alone, byCurrency, unsold } = sales;
  const coverage = coverageOf(scan, context, { product });
  const isRead = isAllRead(coverage);
  const groups = sales.groups.map((group) => shownGroup(group, scope));
  const bound = shared.boundOf(coverage);
  const { people, sums, facts } = shared.shownTotals(totals, { include_granted, alone, bound });
  const what = shared.statusText(statuses)?.replace('o', 'O') ?? 'Sales';
  const summary = `${what}${ofText(scope)} ${shared.salesPeriodText(cursor)}: ${people}, ${sums}.`;
  const answer = (start: number, end: number) => {
    const page = groups.slice(start, end);
    const isWhole = page.length === groups.length;
    return {
      summary: summary + shownText(start, start + page.length, groups.length, isRead, isAboutOne(scope)),
      data: {
        product: product && shared.productFacts(product),
        product_type: product === undefined ? product_type : undefined,
        period: shared.salesPeriodFacts(cursor),
        statuses,
        totals: { ...facts, average: filled(byCurrency.average), buyers_by_currency: byCurrency.buyers },
        note: notesOf(sales, scope, coverage),
        group_by,
        groups_total: isWhole ? undefined : groups.length,
        groups: page,
        unsold: start === 0 && unsold.length > 0 ? shared.titlesOf(unsold) : undefined,
        // Buyers write the country of their billing address.
        [byMembersKey]: group_by === 'country' && page.length > 0 ? ['key'] : undefined,
      },
    };
  };
  const tables = { groups: scannedTable(groups, ['key', 'label', 'orders', 'granted', 'buyers', 'holders'], isRead) };
  // The first line shows the other facts.
  const body = bodyWith({ totals: totalsLine }, ['product', 'product_type', 'period', 'groups_total']);
  const limit = mostGroups(firstRow(coverage, cursor), scope);
  return { ...presentOrders(answer, coverage, { lengths: groups.length, limit }, scope), tables, body };
}

type ListedProducts = Awaited<ReturnType<typeof listedProducts>>;

/** `listed` is undefined until all orders are read. */
function unsoldNote(listed: ListedProducts | undefined, { unsold }: Sales): string | undefined {
  if (listed === undefined) return 'the products without a sale follow when all orders are read';
  const hidden = unsold.flatMap(({ ref }) => (listed.unpublished.includes(ref) ? [ref] : []));
  return shared.noteOf(
    hidden.length > 0 && `unsold and not published: ${hidden.join(', ')}`,
    listed.isCut && 'unpublished courses beyond the first 25 of search_products may be missing',
  );
}

export const salesReport = defineTool({
  name: 'sales_report',
  toolset: 'insights',
  title: 'Report sales',
  description:
    'Shows how much money we made (earnings, income, turnover; what a product brought in), how many sales, what sold most (best sellers) in a period: orders, buyers, revenue, average by currency, in total and by product or country (ten largest), day, week or month. Orders of amount 0 count separately; an order with several products counts in each (shared_orders). Buyers: find_buyers. next_cursor reads on.',
  ui: { resourceUri: 'ui://academy/sales.html' },
  cost: { 'per page of 100 orders': 1, 'with product': 1, 'for include_unsold': [0, 5] },
  example: { period: 'last_week', group_by: 'day' },
  effect: 'read',
  alwaysLoad: true,
  carriesUserContent: true,
  input,
  output: listOutput('groups', groupRow, { ...shared.salesOutput, group_by: z.enum(groupings) }),
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
    const { found, ...reading } = await askOrders(input, { cursorScope, statuses, find }, context);
    const { product, type } = found;
    const { scan } = reading;
    // A product without a sale so far may be on the pages left.
    const isUnsoldKnown = include_unsold && scan.scanned().pagesLeft === 0;
    const listed = isUnsoldKnown ? await listedProducts(context.api, product_type) : undefined;
    // The last day ends by the server's clock, since the newest orders are of that day.
    const { period: counted } = scan.question();
    const question = { group_by, period: counted, product: product?.ref, isOfType: type?.isOfType, include_granted };
    const sales = await salesOf(scan.orders(), { ...question, sort, listed: listed?.products });
    const note = shared.noteOf(
      include_unsold && unsoldNote(listed, sales),
      type?.isCut && 'the API lists only 25 challenges: others are missing',
    );
    return presentSales(sales, { ...reading, input, group_by, product, note });
  },
});
