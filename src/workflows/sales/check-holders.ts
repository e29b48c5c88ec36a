import type { FoundBuyer } from '../../insights/sales/find-buyers.ts';
import { holdersOf } from '../../insights/sales/find-buyers.ts';
import { type PeopleContext, readOrdersOfPeople } from './orders-of-people.ts';

export interface CheckedHolders {
  /** The people who hold one of the products by an order outside the period. */
  readonly holders: ReadonlySet<string>;
  /** People whose orders outside the period were not read. */
  readonly unchecked: ReadonlySet<string>;
  /** Number of people who were checked. */
  readonly checked: number;
  /** Number of the unchecked whom a further part checks. */
  readonly left: number;
  readonly stopped: string | undefined;
}

/** Reads all orders of these buyers, and finds those who hold one of the products. `key`: the cache key for the next part. */
export async function checkHolders(
  buyers: readonly FoundBuyer[],
  refs: readonly string[],
  key: string,
  maxRequests: number,
  context: PeopleContext,
): Promise<CheckedHolders> {
  const orders = buyers.flatMap((buyer) => buyer.orders);
  const { known, left, stopped } = await readOrdersOfPeople(orders, `without ${key}`, maxRequests, context);
  const people = new Set(orders.map(({ buyer }) => buyer));
  const unchecked = new Set([...people].filter((buyer) => !known.has(buyer)));
  const holders = holdersOf(
    [...known].flatMap(([buyer, own]) => own.filter((order) => order.buyer === buyer)),
    refs,
  );
  return { holders, unchecked, checked: people.size - unchecked.size, left, stopped };
}
