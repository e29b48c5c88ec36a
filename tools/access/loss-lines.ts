import { revenueOf, revenueText } from '../../src/insights/money.ts';
import type { ListedProduct, SoldOrder } from '../../src/insights/sales/sold-order.ts';
import { type HoldingEvidence, holdingsOf } from '../../src/insights/students/holdings.ts';
import {
  lossesByProduct,
  lossesBySource,
  type OrderLoss,
  orderLosses,
  refsOfRevocation,
} from '../../src/insights/students/order-losses.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { productNamed } from '../../src/mcp/titles.ts';
import { groupBy } from '../../src/shared/group-by.ts';

const priceOf = ({ amount = '?', currency = '' }: SoldOrder) => `${amount} ${currency}`.trim();

/** `bought with bundle 4 "Business Path"`. */
export function howText({ how, others }: Pick<OrderLoss, 'how' | 'others'>): string {
  return others.length === 0 ? how : how.replace('another bundle', others.map(productNamed).join(', '));
}

function sourceOf(loss: OrderLoss): string {
  const { how, order, kept, products } = loss;
  if (how === 'granted') return 'granted';
  if (how === 'not paid') return `${order.status ?? 'of unknown status'}, not paid: ${priceOf(order)}`;
  const isOfMore = kept.length > 0 || (products.length > 1 && how === 'bought separately');
  const whole = isOfMore ? ', the amount of the whole order' : '';
  return `${howText(loss)} for ${priceOf(order)}${whole}`;
}

/** Whether nothing that was held is taken, and what to say then. */
export const isUnpaid = (losses: readonly OrderLoss[]) => losses.every(({ how }) => how === 'not paid');
export const neverHeld =
  'No paid or granted order lists it: enroll_student would give it free, and nothing puts it back on an unpaid order.';

/** What one order loses and keeps. `held`: refs whose titles a plan names elsewhere; it also explains a missing "keeps". */
export function lossLine(loss: OrderLoss, held?: ReadonlySet<string>): string {
  const { order, products, kept } = loss;
  const named = (list: readonly ListedProduct[]) =>
    list.map((one) => productNamed(held?.has(one.ref) ? { ...one, title: undefined } : one)).join(', ');
  const none = held === undefined ? '; no product is left on it' : '';
  const rest = kept.length === 0 ? none : `; keeps ${named(kept)}`;
  const day = order.created_at?.slice(0, 10) ?? 'no date';
  return `  Order ${order.id} (${sourceOf(loss)}, ${day}) loses ${named(products)}${rest}.`;
}

const isBought = ({ how }: OrderLoss) => how !== 'granted' && how !== 'not paid';
const sumOf = (losses: readonly OrderLoss[]) => revenueText(revenueOf(losses.map(({ order }) => order)));

/** What was paid for the orders that lose something, for each source: "bought separately", 2 orders, "234.50 EUR". */
export function lostSums(losses: readonly OrderLoss[]) {
  const isBundleTaken = losses.some(({ how }) => how === 'bought with the bundle');
  return lossesBySource(losses).map(({ how, losses: group }) => ({
    source: isBundleTaken ? how : how.replace('another', 'a'),
    orders: group.length,
    sum: group.some(isBought) ? sumOf(group) : undefined,
    /** Orders that keep other products: what was paid is also for those. */
    isOfMore: group.some(({ kept }) => kept.length > 0),
  }));
}

/** "5 bought separately for 234.50 EUR, 2 granted". `bundle`: what the removed bundle is called. */
function totalsText(losses: readonly OrderLoss[], bundle: string): string {
  const textOf = ({ source, orders, sum }: ReturnType<typeof lostSums>[number]) =>
    `${orders} ${source.replace('the bundle', bundle)}${sum === undefined ? '' : ` for ${sum}`}`;
  return lostSums(losses).map(textOf).join(', ');
}

function shortSource({ how, order }: OrderLoss, product: ListedProduct): string {
  if (how === 'not paid') return order.status ?? 'of unknown status';
  if (how === 'granted') return how;
  if (product.kind === 'bundle') return 'bought';
  return how.replace(/^bought,? /, '').replace(/the|another/, 'a');
}

/** "separately 1f2e 3a4b (98.00 EUR)". */
function ordersText(source: string, losses: readonly OrderLoss[]): string {
  const sum = losses.some(isBought) ? ` (${sumOf(losses)})` : '';
  return `${source} ${losses.map(({ order }) => order.id).join(' ')}${sum}`;
}

function productLine(
  { product, bundles, orders }: ReturnType<typeof lossesByProduct>[number],
  remark: (ref: string) => string,
): string {
  const bySource = groupBy(orders, (loss) => shortSource(loss, product));
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
    `Takes ${counted(products.length, 'product')}${remark.all(products.map(({ product }) => product))} off ${counted(losses.length, 'order')}: ${totalsText(losses, 'a bundle')}. An order of several products is in the sum of each, with its whole amount. "with bundle N": on the orders of that bundle. The orders:`,
    ...products.map((one) => productLine(one, remark.one)),
  ];
}

/** What is taken with a product: a line with a sum for each source, then one for each order. The text has named what they hold. */
export function lossLines(what: string, product: ListedProduct, known: HoldingEvidence): string[] {
  const losses = orderLosses(known.orders, refsOfRevocation(known.orders, product));
  const held = new Set(holdingsOf(known).map(({ ref }) => ref));
  if (losses.length === 0) return [`No order of the student lists ${what} now.`];
  const rest = `${isUnpaid(losses) ? `${neverHeld} ` : ''}An order below without "keeps" has no product left:`;
  return [
    `Taken off ${counted(losses.length, 'order')}: ${totalsText(losses, 'this bundle')}. ${rest}`,
    ...lossesBySource(losses).flatMap((group) => group.losses.map((loss) => lossLine(loss, held))),
  ];
}
