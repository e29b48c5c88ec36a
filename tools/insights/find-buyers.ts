import * as z from 'zod';
import { buyersOf } from '../../src/insights/sales/buyers.ts';
import { listOutput } from '../../src/mcp/output/output-schemas.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { findProduct } from '../../src/workflows/find-product.ts';
import { orderCursorFor } from '../../src/workflows/sales/order-cursor.ts';
import { productFor } from '../../src/workflows/sales/product-title.ts';
import { scanOrders } from '../../src/workflows/sales/resumable-scan.ts';
import * as given from './arguments.ts';
import { buyerRow, presentBuyers } from './buyer-rows.ts';
import { salesOutput } from './sales-facts.ts';

export const findBuyers = defineTool({
  name: 'find_buyers',
  toolset: 'insights',
  title: 'Find the buyers of a product',
  description:
    'Who bought a product in a period: each buyer once (by email, capitals or not), newest first, with orders and revenue by currency. Counts payments by card and from the wallet, and courses that came in a bundle (via); access that an admin gave is left out and counted apart. For all products together use sales_report, for raw orders list_orders. coverage.complete: false means that next_cursor reads on. Read-only; one request a page of 100 orders, up to two more for the ends of a period.',
  effect: 'read',
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
    const product = await productFor(place, () => findProduct(context.api, input), context);
    const scan = await scanOrders({ statuses, period }, { isFurther, maxRequests }, context);
    const found = buyersOf(scan.orders(), product.ref, include_granted);
    return presentBuyers(found, { place, product, scan, asked, input, context });
  },
});
