import * as z from 'zod';
import { buyersOf } from '../../src/insights/sales/buyers.ts';
import { listOutput } from '../../src/mcp/output/output-schemas.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { orderCursorFor } from '../../src/workflows/sales/order-cursor.ts';
import { resolveProduct } from '../../src/workflows/sales/resolve-product.ts';
import { scanOrders } from '../../src/workflows/sales/resumable-scan.ts';
import { buyerRow, presentBuyers } from './find-buyers-result.ts';
import { salesOutput } from './sales-output.ts';
import * as given from './shared-arguments.ts';

export const findBuyers = defineTool({
  name: 'find_buyers',
  toolset: 'insights',
  title: 'Find the buyers of a product',
  description:
    'Lists who bought a product in a period: each buyer once (by email, capitals or not), newest first, with orders and revenue by currency. Counts payments by card and wallet, and courses in bundles (via); orders of amount 0 (granted, free, coupon) are left out and counted separately. For all products use sales_report, for raw orders list_orders. If coverage.complete is false, next_cursor reads on.',
  cost: {
    requests: 1,
    per: 'page of 100 orders',
    plus: [
      { requests: [0, 2], when: 'for the ends of a period' },
      { requests: 1, when: 'for the product' },
    ],
  },
  example: { product: 'photography', period: 'last_week' },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({
    product: given.product,
    product_type: given.productType,
    ...given.periodArguments,
    include_granted: given.includeGranted,
    statuses: given.statuses,
    detail: z.enum(['summary', 'full']).describe('full adds first_bought_at and order ids').optional(),
    limit: given.limit(50),
    cursor: given.cursor,
    max_requests: given.maxRequests(30),
  }),
  output: listOutput('buyers', buyerRow, salesOutput),
  run: async (input, context) => {
    const { include_granted = false, max_requests: maxRequests = 30 } = input;
    const statuses = given.statusesOf(input.statuses);
    const asked = ['find_buyers', input.product, input.product_type, include_granted, statuses] as const;
    const place = await orderCursorFor(input, asked, context);
    const { period, isFurther } = place;
    const product = await resolveProduct(input, place, context);
    const scan = await scanOrders({ statuses, period }, { isFurther, maxRequests }, context);
    const found = buyersOf(scan.orders(), product.ref, include_granted);
    return presentBuyers(found, { place, product, scan, asked, input, context });
  },
});
