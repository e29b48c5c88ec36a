import * as z from 'zod';
import { groupings, refuseManyGroups, salesOf } from '../../src/insights/sales/sales-report.ts';
import { listOutput } from '../../src/mcp/output/output-schemas.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { orderCursorFor } from '../../src/workflows/sales/order-cursor.ts';
import { resolveProduct } from '../../src/workflows/sales/resolve-product.ts';
import { scanOrders } from '../../src/workflows/sales/resumable-scan.ts';
import { salesOutput } from './sales-output.ts';
import { groupRow, presentSales } from './sales-report-result.ts';
import * as given from './shared-arguments.ts';

export const salesReport = defineTool({
  name: 'sales_report',
  toolset: 'insights',
  title: 'Report sales',
  description:
    'Shows what sold in a period: orders, buyers and exact revenue by currency, in total and by product, day, week, month or country. Days without sales are included; orders of amount 0 (granted, free, coupon) are left out and counted separately; an order with several products counts in each (shared_orders). For the buyers of one product use find_buyers. next_cursor has more groups or, if coverage.complete is false, reads on.',
  cost: {
    requests: 1,
    per: 'page of 100 orders',
    plus: [
      { requests: [0, 2], when: 'for the ends of a period' },
      { requests: 1, when: 'with product' },
    ],
  },
  example: { period: 'last_week', group_by: 'day' },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({
    ...given.periodArguments,
    group_by: z.enum(groupings).describe('product when omitted; days, weeks and months follow timezone').optional(),
    product: given.product.optional(),
    product_type: given.productType,
    include_granted: given.includeGranted,
    statuses: given.statuses,
    cursor: given.cursor,
    max_requests: given.maxRequests(30),
  }),
  output: listOutput('groups', groupRow, { ...salesOutput, group_by: z.enum(groupings) }),
  run: async (input, context) => {
    const { include_granted = false, group_by = 'product', max_requests: maxRequests = 30 } = input;
    const statuses = given.statusesOf(input.statuses);
    const { product: wanted, product_type } = input;
    const asked = ['sales_report', wanted, product_type, include_granted, statuses, group_by] as const;
    const place = await orderCursorFor(input, asked, context);
    const { period, isFurther } = place;
    await refuseManyGroups(group_by, period);
    const product =
      wanted === undefined ? undefined : await resolveProduct({ product: wanted, product_type }, place, context);
    const scan = await scanOrders({ statuses, period }, { isFurther, maxRequests }, context);
    // The last day ends by the server's clock, since the newest orders are of that day.
    const { period: counted } = scan.question();
    const sales = await salesOf(scan.orders(), { group_by, period: counted, product: product?.ref, include_granted });
    return presentSales(sales, { group_by, place, product, scan, asked, context });
  },
});
