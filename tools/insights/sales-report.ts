import * as z from 'zod';
import { productTypes } from '../../src/contract/products.ts';
import { flag } from '../../src/contract/schemas/input-fields.ts';
import type { KnownProduct } from '../../src/insights/sales/product-ref.ts';
import {
  groupings,
  refuseManyGroups,
  type Sales,
  type SortKey,
  salesOf,
  sortKeys,
} from '../../src/insights/sales/sales-report.ts';
import { byMembersKey } from '../../src/mcp/output/fence-free-text.ts';
import { listOutput } from '../../src/mcp/output/output-schemas.ts';
import { defineTool, type Presented, type ToolContext } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import {
  listedProducts,
  productsOfType,
  requirePurchasable,
  resolveProduct,
} from '../../src/workflows/find-product.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { type Coverage, coverageOf } from '../../src/workflows/sales/coverage.ts';
import { type OrderCursor, orderCursorFor } from '../../src/workflows/sales/order-cursor.ts';
import { type ReadOrders, readOrders } from '../../src/workflows/sales/read-orders.ts';
import { definedFields, withCut } from '../record-result.ts';
import { coverageFirst, firstRow, incompleteText, isAllRead, nextCursor } from './coverage-text.ts';
import {
  boundOf,
  clockNote,
  emptyNote,
  futureNote,
  nameLine,
  noteOf,
  peopleText,
  productFacts,
  productlessNote,
  productText,
  productTotalNote,
  replacedNote,
  salesOutput,
  salesPeriodFacts,
  salesPeriodText,
  titleNote,
  totalNote,
  totalsFacts,
  totalsText,
} from './sales-output.ts';
import {
  body,
  filled,
  groupRow,
  isOfProduct,
  type Row,
  type RowView,
  shownGroup,
  tablesOf,
} from './sales-report-rows.ts';
import * as common from './shared-arguments.ts';

interface Scope extends RowView {
  /** Whether the call gives `group_by`. */
  isGrouped: boolean;
  sort: SortKey | undefined;
  statuses: readonly string[] | undefined;
  product_type: string | undefined;
  cursor: OrderCursor;
  product: KnownProduct | undefined;
  scan: ReadOrders;
  cursorScope: CursorScope;
  context: ToolContext;
  /** Sentences about the listed products. */
  note: string | undefined;
}

/** The most products or countries in the first part of an answer; the next part has all others. */
const firstGroups = 10;

/** A question about one product is not about those in the same orders, unless it asks for groups. */
const leastGroups = 1;

/** The number of groups in this part of the answer. */
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
  const { cursor, scan, sort, note } = scope;
  const { statuses } = scan.question();
  return noteOf(
    replacedNote(cursor),
    emptyNote(totals.orders, scan.orders().length, statuses),
    futureNote(scan),
    clockNote(scope.context),
    sumsNote(sales, scope),
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
  const { group_by, product, product_type, cursor, scan, cursorScope, context, include_granted, statuses } = scope;
  const { totals, alone, byCurrency } = sales;
  const coverage = coverageOf(scan, context, { product });
  const isRead = isAllRead(coverage);
  const start = firstRow(coverage, cursor);
  const all = sales.groups.map((group) => shownGroup(group, scope));
  const rows = all.slice(start, start + groupsShown(all, start, scope));
  const bound = boundOf(coverage, { isAllRead: isRead });
  const view = { include_granted, alone, bound };
  const summary = `${incompleteText(coverage)}Sales${ofText(scope)} ${salesPeriodText(cursor)}: ${peopleText(totals, view)}, ${totalsText(totals, view)}.`;
  const cursorAt = (end: number) =>
    nextCursor(
      coverage,
      { ...cursor, products: product && [product] },
      cursorScope,
      { end, total: all.length },
      context,
    );
  const answer = (count: number) => ({
    summary: summary + shownText(start, start + count, all, isRead, product !== undefined && !scope.isGrouped),
    data: coverageFirst(
      definedFields({
        product: product && productFacts(product),
        product_type: product === undefined ? product_type : undefined,
        period: salesPeriodFacts(cursor),
        statuses,
        totals: definedFields({
          ...totalsFacts(totals, view),
          average: filled(byCurrency.average),
          buyers_by_currency: byCurrency.buyers,
        }),
        note: notesOf(sales, scope, coverage),
        group_by,
        groups_total: count < all.length ? all.length : undefined,
        groups: count > 0 ? rows.slice(0, count) : undefined,
        unsold: start === 0 ? unsoldFacts(sales) : undefined,
        coverage,
        next_cursor: cursorAt(start + count),
        // Buyers write the country of their billing address.
        [byMembersKey]: group_by === 'country' && count > 0 ? ['key'] : undefined,
      }),
      coverage,
    ),
  });
  return {
    ...withCut(answer, rows.length, 'go on with next_cursor'),
    tables: tablesOf(all, isRead),
    body,
  };
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
    'Shows how much money we made (earnings, income, turnover; what a product brought in), how many sales, what sold (best sellers first) in a period: orders, buyers, revenue, average by currency, in total and by product or country (ten largest), day, week or month. Orders of amount 0 count separately; an order with several products counts in each (shared_orders). Buyers: find_buyers. next_cursor reads on.',
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
    const cursor = await orderCursorFor(input, cursorScope, context);
    const { period, isFurther } = cursor;
    await refuseManyGroups(group_by, period);
    const maxRequests = await requestsAllowed(input.max_requests, context);
    const product =
      wanted === undefined ? undefined : await resolveProduct({ product: wanted, product_type }, cursor, context);
    const type =
      wanted === undefined && product_type !== undefined ? await productsOfType(context.api, product_type) : undefined;
    const scan = await readOrders({ statuses, period }, { isFurther, maxRequests, given: input.max_requests }, context);
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
    return presentSales(sales, { ...view, cursor, product, scan, cursorScope, context });
  },
});
