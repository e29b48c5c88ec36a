import { revenueOf, revenueText } from '../../insights/money.ts';
import type { ListedProduct, SoldOrder } from '../../insights/sales/sold-order.ts';
import { boughtSeparately, type Taking, takings } from '../../insights/students/order-losses.ts';
import { counted } from '../../mcp/output/text-format.ts';
import { called } from '../../mcp/titles.ts';

/** `course 7 "Watercolour"`. */
export function productNamed({ kind, id, title }: Pick<ListedProduct, 'kind' | 'id' | 'title'>): string {
  return called(kind.replace('_', ' '), id, title);
}

function priceOf({ amount = '?', currency = '' }: SoldOrder): string {
  return `${amount} ${currency}`.trim();
}

/** What an order was, as a person would say it. An order that was not paid is no purchase. */
function sourceOf({ how, order, kept, products }: Taking): string {
  if (how === 'granted') return 'granted';
  if (how === 'not paid') return `${order.status ?? 'of unknown status'}, not paid: ${priceOf(order)}`;
  const isOfMore = kept.length > 0 || (products.length > 1 && how === 'bought separately');
  const whole = isOfMore ? ', the amount of the whole order' : '';
  return `${how} for ${priceOf(order)}${whole}`;
}

/** What an order loses, and what it keeps. */
export function takingLine(taking: Taking): string {
  const { order, products, kept } = taking;
  const rest = kept.length === 0 ? 'nothing is left on it' : `keeps ${kept.map(productNamed).join(', ')}`;
  const date = order.created_at?.slice(0, 10) ?? 'no date';
  return `  Order ${order.id} (${sourceOf(taking)}, ${date}) loses ${products.map(productNamed).join(', ')}; ${rest}.`;
}

function separately(taken: readonly Taking[]): string {
  const orders = boughtSeparately(taken);
  if (orders.length === 0) return 'none of them bought separately';
  return `${orders.length} of them bought separately for ${revenueText(revenueOf(orders))}`;
}

/** Every order that loses something, a line each, under a line of totals. */
export function takingLines(what: string, orders: readonly SoldOrder[], refs: readonly string[]): string[] {
  const taken = takings(orders, refs);
  if (taken.length === 0) return [`No order of the student lists ${what} now.`];
  return [`Taken off ${counted(taken.length, 'order')}: ${separately(taken)}.`, ...taken.map(takingLine)];
}
