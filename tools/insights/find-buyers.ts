import * as z from 'zod';
import type { OrderStatus } from '../../src/contract/orders.ts';
import { flag, integer } from '../../src/contract/schemas/input-fields.ts';
import { describedOnce } from '../../src/contract/schemas/listed-form.ts';
import { type BuyerQuestion, buyerSorts, findBuyers as searchBuyers } from '../../src/insights/sales/find-buyers.ts';
import { paidStatuses } from '../../src/insights/sales/sold-order.ts';
import { listOutput, memberText, showing } from '../../src/mcp/output/output-schemas.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { resolveProducts } from '../../src/workflows/find-product.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { checkHolders } from '../../src/workflows/sales/check-people.ts';
import { orderCursorFor } from '../../src/workflows/sales/order-cursor.ts';
import { readOrders } from '../../src/workflows/sales/read-orders.ts';
import { presentBuyers } from './find-buyers-result.ts';
import { buyerRow } from './find-buyers-rows.ts';
import { salesOutput } from './sales-output.ts';
import * as common from './shared-arguments.ts';

const maxProducts = 10;

/** Whether the orders of these statuses are all that a product can be held by. */
const hasAllPaid = (statuses: readonly OrderStatus[]) => paidStatuses.every((one) => statuses.includes(one));

export const findBuyers = defineTool({
  name: 'find_buyers',
  toolset: 'insights',
  title: 'Find the buyers of products',
  description:
    'Lists who bought (purchased, owns) a product, one or all of several, or anything: names, emails of customers, each once, sums spent; amount 0 (granted, free) separately. Sums: sales_report.',
  ui: { resourceUri: 'ui://academy/buyers.html' },
  cost: {
    requests: 1,
    per: 'page of 100 orders',
    plus: [
      { requests: 1, per: 'product' },
      { requests: [0, 2], when: 'per buyer for without' },
    ],
  },
  example: { product: 'photography', period: 'last_week' },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({
    product: common.product.optional(),
    products: common.products(maxProducts, 'Instead of product').optional(),
    match: z.enum(['any', 'all']).describe('Default any').optional(),
    without: common.products(maxProducts, 'Leaves out who holds one of these').optional(),
    min_products: describedOnce(integer(1, 50, '2: two or more')).optional(),
    product_type: common.productType,
    ...common.periodArguments,
    include_granted: common.includeGranted,
    granted_only: flag('Only these').optional(),
    statuses: common.statuses,
    sort: z.enum(buyerSorts).describe('Default newest').optional(),
    totals_only: describedOnce(flag('Omits the rows')).optional(),
    detail: z.enum(['summary', 'full']).describe('full: order ids').optional(),
    limit: common.limit(50),
    cursor: common.cursor,
    max_requests: common.maxRequests,
  }),
  output: showing(listOutput('buyers', buyerRow, salesOutput), z.object({ granted_to: memberText() })),
  check: ({ product, products, match }) => {
    if (product !== undefined && products !== undefined) throw refuseInput(['give either product or products']);
    if (match !== undefined && products === undefined) throw refuseInput(['match needs products']);
  },
  run: async (input, context) => {
    const { product, product_type, match = 'any', include_granted = false, min_products: minProducts = 1 } = input;
    const { granted_only = false, sort } = input;
    const granted = granted_only ? 'only' : include_granted;
    const { products = product === undefined ? [] : [product], without = [] } = input;
    const statuses = common.statusesOf(input.statuses);
    const conditions = { match, minProducts, includeGranted: granted, sort } as const;
    const isPlain = input.products === undefined && without.length === 0 && minProducts === 1;
    const conditionWords = isPlain ? [] : [input.products, match, without, minProducts];
    const words = [...conditionWords, ...(granted_only ? ['granted'] : []), ...(sort === undefined ? [] : [sort])];
    const cursorScope = ['find_buyers', product, product_type, include_granted, statuses, ...words] as const;
    const cursor = await orderCursorFor(input, cursorScope, context);
    const { period, isFurther } = cursor;
    const maxRequests = await requestsAllowed(input.max_requests, context);
    const questions = [...products, ...without].map((one) => ({ product: one, product_type }));
    const all = await resolveProducts(questions, cursor, context);
    const [wanted, unwanted] = [all.slice(0, products.length), all.slice(products.length)];
    const scan = await readOrders({ statuses, period }, { isFurther, maxRequests, given: input.max_requests }, context);
    const refs = (some: typeof all) => some.map(({ ref }) => ref);
    const query: BuyerQuestion = { products: refs(wanted), without: refs(unwanted), ...conditions };
    const question = { products: wanted, without: unwanted, match, minProducts, granted, sort } as const;
    const found = searchBuyers(scan.orders(), query);
    const isEveryOrder = period.from === undefined && scan.question().futureFrom !== undefined && hasAllPaid(statuses);
    const isRead = scan.scanned().pagesLeft === 0;
    const key = JSON.stringify([period, cursorScope]);
    const check =
      without.length > 0 && isRead && !isEveryOrder
        ? await checkHolders(found.buyers, query.without, key, maxRequests, context)
        : undefined;
    scan.keep();
    const scope = { cursor: { ...cursor, products: all }, question, check, scan, cursorScope, input, context };
    return presentBuyers(
      check === undefined ? found : searchBuyers(scan.orders(), { ...query, holders: check.holders }),
      scope,
    );
  },
});
