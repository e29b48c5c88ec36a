import * as z from 'zod';
import { orderStatuses } from '../../src/contract/orders.ts';
import { unpaidProducts } from '../../src/insights/sales/unpaid-orders.ts';
import { listOutput } from '../../src/mcp/output/output-schemas.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { resolveProduct } from '../../src/workflows/find-product.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { checkUnpaid, dropHeld } from '../../src/workflows/sales/check-people.ts';
import { orderCursorFor } from '../../src/workflows/sales/order-cursor.ts';
import { readOrders } from '../../src/workflows/sales/read-orders.ts';
import { salesOutput } from './sales-output.ts';
import * as common from './shared-arguments.ts';
import { presentUnpaid, unpaidRow } from './unpaid-orders-result.ts';

export const unpaidOrders = defineTool({
  name: 'unpaid_orders',
  toolset: 'insights',
  title: 'Find unpaid orders',
  description:
    'Lists people (customers) who started checkout but never paid (open, abandoned, owed): payment failed or is pending, and who lack the product now: who, amount, date, attempts; newest first. All failed orders: list_orders; why one cannot open a product: diagnose_access.',
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
    const cursor = await orderCursorFor(input, cursorScope, context);
    const { period, isFurther } = cursor;
    const maxRequests = await requestsAllowed(input.max_requests, context);
    const product =
      wanted === undefined ? undefined : await resolveProduct({ product: wanted, product_type }, cursor, context);
    const scan = await readOrders(
      { statuses: orderStatuses, period },
      { isFurther, maxRequests, given: input.max_requests },
      context,
    );
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
    return presentUnpaid(checked, { cursor, product, scan, cursorScope, limit, context });
  },
});
