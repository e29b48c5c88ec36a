import { averageOf, currencyOf, type Revenue } from '../money.ts';
import { countBuyers } from './buyers.ts';
import { isGrantedOrder, type SoldOrder } from './sold-order.ts';

export interface ByCurrency {
  /** The average amount of an order, without those of amount 0. */
  readonly average: Revenue;
  /** Number of buyers; undefined if there is only one currency. */
  readonly buyers: Readonly<Record<string, number>> | undefined;
}

export function byCurrency(orders: readonly SoldOrder[]): ByCurrency {
  const paid = orders.filter((order) => !isGrantedOrder(order));
  const average = averageOf(paid);
  const currencies = Object.keys(average);
  if (currencies.length <= 1) return { average, buyers: undefined };
  const inCurrency = (currency: string) => paid.filter((order) => currencyOf(order) === currency);
  const counts = currencies.map((currency) => [currency, countBuyers(inCurrency(currency))] as const);
  return { average, buyers: Object.fromEntries(counts) };
}
