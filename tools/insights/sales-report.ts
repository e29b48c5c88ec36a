import * as z from 'zod';
import { productTypes } from '../../src/contract/products.ts';
import { flag } from '../../src/contract/schemas/input-fields.ts';
import { groupings, refuseManyGroups, type Sales, salesOf, sortKeys } from '../../src/insights/sales/sales-report.ts';
import { listOutput } from '../../src/mcp/output/output-schemas.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import {
  listedProducts,
  productsOfType,
  requirePurchasable,
  resolveProduct,
} from '../../src/workflows/find-product.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { orderCursorFor } from '../../src/workflows/sales/order-cursor.ts';
import { readOrders } from '../../src/workflows/sales/read-orders.ts';
import { noteOf, salesOutput } from './sales-output.ts';
import { presentSales } from './sales-report-result.ts';
import { groupRow } from './sales-report-rows.ts';
import * as common from './shared-arguments.ts';

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
    'Shows how much money we made (earnings, income, turnover), what sold (best sellers first) in a period: orders, buyers, revenue, average by currency, in total and by product or country (ten largest), day, week or month. Orders of amount 0 count separately; an order with several products counts in each (shared_orders). Buyers: find_buyers. next_cursor reads on.',
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
