import * as orders from '../../src/contract/orders.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { inline } from '../../src/mcp/output/text-format.ts';
import { hasUnreadProducts } from './order-products.ts';
import { presentOrder, wholeOrder } from './order-row.ts';

export const getOrder = defineApiTool({
  name: 'get_order',
  toolset: 'orders',
  title: 'Get an order',
  description:
    'Shows the details of one order number: what is in it, invoice data, billing address. To find orders use list_orders.',
  cost: { requests: 1 },
  example: { order_id: '40im71m5oai7' },
  operation: orders.getOrder,
  output: wholeOrder,
  present: (order) => {
    const data = presentOrder(order, 'full');
    const summary = `Order ${inline(data.id)}`.trim().concat('.');
    if (!hasUnreadProducts(order)) return { summary, data };
    const coverage = { complete: false, unreadable: { products: 1 } };
    return { summary: `Incomplete (its products could not be read): ${summary}`, data: { ...data, coverage } };
  },
});
