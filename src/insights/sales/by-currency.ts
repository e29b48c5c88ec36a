import { averageOf, type Revenue, revenueOf } from '../money.ts';
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
  const currencies = Object.keys(revenueOf(paid));
  const inCurrency = (currency: string) => paid.filter((order) => Object.hasOwn(revenueOf([order]), currency));
  const counts = currencies.map((currency) => [currency, countBuyers(inCurrency(currency))] as const);
  return { average: averageOf(paid), buyers: currencies.length > 1 ? Object.fromEntries(counts) : undefined };
}
