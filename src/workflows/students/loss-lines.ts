import { revenueOf, revenueText } from '../../insights/money.ts';
import type { ListedProduct, SoldOrder } from '../../insights/sales/sold-order.ts';
import { lossesByProduct, type ProductLoss } from '../../insights/students/losses-by-product.ts';
import {
  boughtSeparately,
  type LossSource,
  type OrderLoss,
  orderLosses,
} from '../../insights/students/order-losses.ts';
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

const dateOf = ({ created_at }: SoldOrder) => created_at?.slice(0, 10) ?? 'no date';

/** What one order loses and keeps. */
export function lossLine(loss: OrderLoss): string {
  const { order, products, kept } = loss;
  const rest = kept.length === 0 ? 'nothing is left on it' : `keeps ${kept.map(productNamed).join(', ')}`;
  return `  Order ${order.id} (${sourceOf(loss)}, ${dateOf(order)}) loses ${products.map(productNamed).join(', ')}; ${rest}.`;
}

/** The same for a plan, in which the products held have their titles elsewhere. */
function shortLossLine(loss: OrderLoss, held: ReadonlySet<string>): string {
  const { order, products, kept } = loss;
  const named = (list: readonly ListedProduct[]) =>
    list.map((one) => productNamed(held.has(one.ref) ? { ...one, title: undefined } : one)).join(', ');
  const rest = kept.length === 0 ? '' : `; keeps ${named(kept)}`;
  return `  Order ${order.id} (${sourceOf(loss)}, ${dateOf(order)}) loses ${named(products)}${rest}.`;
}

function separateText(losses: readonly OrderLoss[]): string {
  const orders = boughtSeparately(losses);
  if (orders.length === 0) return 'none of them bought separately';
  return `${orders.length} of them bought separately for ${revenueText(revenueOf(orders))}`;
}

/** "5 orders bought separately for 234.50 EUR, 2 granted". */
function totalsText(losses: readonly OrderLoss[]): string {
  const of = (source: LossSource) => losses.filter(({ how }) => how === source);
  const sum = (found: readonly OrderLoss[]) => revenueText(revenueOf(found.map(({ order }) => order)));
  const parts = [
    ...(['bought separately', 'bought with the bundle', 'bought, perhaps with the bundle'] as const).map((source) => {
      const found = of(source);
      return found.length === 0 ? '' : `${found.length} ${source.replace('the', 'a')} for ${sum(found)}`;
    }),
    ...(['granted', 'not paid'] as const).map((source) => {
      const { length } = of(source);
      return length === 0 ? '' : `${length} ${source}`;
    }),
  ];
  return parts.filter(Boolean).join(', ');
}

const isBundle = ({ kind }: ListedProduct) => kind === 'bundle';

/** How a product came with these orders, in a word or two. */
function shortSource({ how, order }: OrderLoss, product: ListedProduct): string {
  if (how === 'not paid') return order.status ?? 'of unknown status';
  if (how === 'granted') return how;
  if (isBundle(product)) return 'bought';
  return how.replace(/^bought,? /, '').replace('the', 'a');
}

/** "separately 1f2e 3a4b (98.00 EUR)". */
function ordersText(source: string, losses: readonly OrderLoss[]): string {
  const orders = losses.map(({ order }) => order);
  const isPaid = losses.some(({ how }) => how !== 'granted' && how !== 'not paid');
  const sum = isPaid ? ` (${revenueText(revenueOf(orders))})` : '';
  return `${source} ${orders.map(({ id }) => id).join(' ')}${sum}`;
}

function productLine({ product, bundles, orders }: ProductLoss, remark: (ref: string) => string): string {
  const bySource = new Map<string, OrderLoss[]>();
  for (const loss of orders) {
    const source = shortSource(loss, product);
    bySource.set(source, [...(bySource.get(source) ?? []), loss]);
  }
  const parts = [
    ...[...bySource].map(([source, losses]) => ordersText(source, losses)),
    ...(bundles.length === 0 ? [] : [`with bundle ${bundles.map(({ id }) => id).join(', ')}`]),
  ];
  return `  ${productNamed(product)}${remark(product.ref)}: ${parts.join('; ')}`;
}

/** What is taken, by product: the orders of each. `remark`: what else is known of a product, or of all of them. */
export function lossesByProductLines(
  losses: readonly OrderLoss[],
  remark: { one: (ref: string) => string; all: (products: readonly ListedProduct[]) => string },
): string[] {
  if (losses.length === 0) return ['No order of the student lists any of it now.'];
  const products = lossesByProduct(losses);
  return [
    `Takes ${counted(products.length, 'product')}${remark.all(products.map(({ product }) => product))} off ${counted(losses.length, 'order')}: ${totalsText(losses)}. An order of several products is in the sum of each, with its whole amount. "with bundle 3": on the orders of bundle 3. The orders:`,
    ...products.map((one) => productLine(one, remark.one)),
  ];
}

/** A line of totals, then a line for each order that loses something. `held`: refs whose titles the text has named. */
export function lossLines(
  what: string,
  orders: readonly SoldOrder[],
  refs: readonly string[],
  held: ReadonlySet<string>,
): string[] {
  const losses = orderLosses(orders, refs);
  if (losses.length === 0) return [`No order of the student lists ${what} now.`];
  const rest = 'An order below without "keeps" has no product left:';
  return [
    `Taken off ${counted(losses.length, 'order')}: ${separateText(losses)}. ${rest}`,
    ...losses.map((loss) => shortLossLine(loss, held)),
  ];
}
