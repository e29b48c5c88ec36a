import { revenueOf, revenueText } from '../../insights/money.ts';
import type { ListedProduct, SoldOrder } from '../../insights/sales/sold-order.ts';
import { boughtSeparately, type OrderLoss, orderLosses } from '../../insights/students/order-losses.ts';
import { counted } from '../../mcp/output/text-format.ts';
import { called } from '../../mcp/titles.ts';

/** `course 7 "Watercolour"`. */
export function productNamed({ kind, id, title }: Pick<ListedProduct, 'kind' | 'id' | 'title'>): string {
  return called(kind.replace('_', ' '), id, title);
}

function priceOf({ amount = '?', currency = '' }: SoldOrder): string {
  return `${amount} ${currency}`.trim();
}

/** How the student got the products of an order. */
function sourceOf({ how, order, kept, products }: OrderLoss): string {
  if (how === 'granted') return 'granted';
  if (how === 'not paid') return `${order.status ?? 'of unknown status'}, not paid: ${priceOf(order)}`;
  const isOfMore = kept.length > 0 || (products.length > 1 && how === 'bought separately');
  const whole = isOfMore ? ', the amount of the whole order' : '';
  return `${how} for ${priceOf(order)}${whole}`;
}

/** What one order loses and keeps. */
export function lossLine(loss: OrderLoss): string {
  const { order, products, kept } = loss;
  const rest = kept.length === 0 ? 'nothing is left on it' : `keeps ${kept.map(productNamed).join(', ')}`;
  const date = order.created_at?.slice(0, 10) ?? 'no date';
  return `  Order ${order.id} (${sourceOf(loss)}, ${date}) loses ${products.map(productNamed).join(', ')}; ${rest}.`;
}

function separateText(losses: readonly OrderLoss[]): string {
  const orders = boughtSeparately(losses);
  if (orders.length === 0) return 'none of them bought separately';
  return `${orders.length} of them bought separately for ${revenueText(revenueOf(orders))}`;
}

/** The same without titles of what is taken, for a text that has named it: "order, date, source: course 7, bundle 3". */
function shortLossLine(loss: OrderLoss): string {
  const { order, products, kept } = loss;
  const taken = products.map(({ kind, id }) => called(kind.replace('_', ' '), id, undefined));
  const rest = kept.length === 0 ? '' : `; keeps ${kept.map(productNamed).join(', ')}`;
  const date = order.created_at?.slice(0, 10) ?? 'no date';
  return `  Order ${order.id} (${sourceOf(loss)}, ${date}): ${taken.join(', ')}${rest}.`;
}

/** What orders lose if everything is taken, for a text that has named the products. */
export function shortLossLines(orders: readonly SoldOrder[], refs: readonly string[]): string[] {
  const losses = orderLosses(orders, refs);
  if (losses.length === 0) return ['No order of the student lists any of it now.'];
  const totals = `Taken off ${counted(losses.length, 'order')}: ${separateText(losses)}.`;
  return [`${totals} Nothing is left on an order that keeps nothing here:`, ...losses.map(shortLossLine)];
}

/** A line of totals, then a line for each order that loses something. */
export function lossLines(what: string, orders: readonly SoldOrder[], refs: readonly string[]): string[] {
  const losses = orderLosses(orders, refs);
  if (losses.length === 0) return [`No order of the student lists ${what} now.`];
  return [`Taken off ${counted(losses.length, 'order')}: ${separateText(losses)}.`, ...losses.map(lossLine)];
}
