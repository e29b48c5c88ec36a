import * as orders from '../../src/contract/orders.ts';
import { readProducts } from '../../src/insights/sales/products-in-order.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { incompleteFor } from '../../src/mcp/output/pagination.ts';
import { inline } from '../../src/mcp/output/text-format.ts';
import { presentOrder, wholeOrder } from './order-row.ts';

export const getOrder = defineApiTool({
  name: 'get_order',
  toolset: 'orders',
  title: 'Get an order',
  description:
    'Looks up one order (purchase, receipt, invoice) by number: what it says, amount, billing address. Others: list_orders.',
  example: { order_id: '40im71m5oai7' },
  operation: orders.getOrder,
  output: wholeOrder,
  present: (order) => {
    const read = readProducts(order);
    const data = presentOrder(order, 'full', read);
    const lost = read.unread.length > 0 ? 'its products could not be read' : undefined;
    const part = { summary: `Order ${inline(data.id)}`.trim().concat('.'), data };
    return incompleteFor([lost], part, { unreadable: { products: 1 } });
  },
});
