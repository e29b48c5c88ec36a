import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { orderScans } from '../scan-store.ts';
import type { OrderScan } from './order-scan.ts';

/** The orders of a scan and of every cached scan, also outside its period: they cost no request. An order may occur twice. */
export function seenOrders(scan: OrderScan, { stores }: Pick<ToolContext, 'stores'>): SoldOrder[] {
  return [scan, ...stores.of(orderScans).values()].flatMap((one) => one.all());
}
