import { type FoundBuyer, holdersOf } from '../../insights/sales/find-buyers.ts';
import { afterPayments, type UnpaidProduct } from '../../insights/sales/unpaid-orders.ts';
import { accessEnd } from '../../insights/students/holdings.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { readAccessDays } from '../students/access-days.ts';
import { type PeopleSources, readOrdersOfPeople } from './read-orders.ts';

// What the orders of a period do not show: people may have bought or been granted a product before or after it.

export interface PeopleCheck {
  /** People whose orders outside the period, or whose end of access, were not read. */
  readonly unchecked: ReadonlySet<string>;
  /** Number of people that a further part checks. */
  readonly left: number;
  readonly stopped: string | undefined;
  readonly sources?: PeopleSources;
}

/** Reads all orders of these buyers, and finds those who hold one of the products. `key`: of the cache, for the next part. */
export async function checkHolders(
  buyers: readonly FoundBuyer[],
  refs: readonly string[],
  key: string,
  maxRequests: number,
  context: ToolContext,
) {
  const orders = buyers.flatMap((buyer) => buyer.orders);
  const sources = await readOrdersOfPeople(orders, `without ${key}`, maxRequests, context);
  const { known, left, stopped } = sources;
  const people = buyersOf(orders);
  const unchecked = new Set([...people].filter((buyer) => !known.has(buyer)));
  const checked = people.size - unchecked.size;
  return { holders: holdersOf([...known.values()].flat(), refs), unchecked, checked, left, stopped, sources };
}

export type CheckedHolders = Awaited<ReturnType<typeof checkHolders>>;

export type CheckedUnpaid = PeopleCheck & { readonly rows: readonly UnpaidProduct[] };

const mayHaveEnded = ({ paidAt, endedOn }: UnpaidProduct) => paidAt !== undefined && endedOn === undefined;

const buyersOf = (rows: readonly { readonly buyer: string }[]) => new Set(rows.map(({ buyer }) => buyer));

/** Drops what the buyer still holds, by the days of access of the product. Marks when access ended. */
export async function dropHeld(
  rows: readonly UnpaidProduct[],
  maxRequests: number,
  context: ToolContext,
): Promise<CheckedUnpaid> {
  const paid = rows.filter(mayHaveEnded).map(({ product }) => product);
  const { days, refused, stopped } = await readAccessDays(paid, maxRequests, context);
  const kept = rows.flatMap((row) => {
    const limit = days.get(row.product.ref);
    if (!mayHaveEnded(row) || limit === undefined) return [row];
    const endedOn = accessEnd(row.paidAt, limit, context.now());
    return endedOn === undefined ? [] : [{ ...row, endedOn }];
  });
  const open = kept.filter(mayHaveEnded);
  const left = stopped === undefined ? buyersOf(open.filter(({ product }) => !refused.has(product.ref))).size : 0;
  return { rows: kept, unchecked: buyersOf(open), left, stopped };
}

/** Reads all orders of each person, and drops what they paid for and still hold. `key`: of the cache, for the next part. */
export async function checkUnpaid(
  rows: readonly UnpaidProduct[],
  key: string,
  maxRequests: number,
  context: ToolContext,
): Promise<CheckedUnpaid> {
  const lacking = (await dropHeld(rows, maxRequests, context)).rows;
  const unpaid = lacking.flatMap(({ orders }) => orders);
  const sources = await readOrdersOfPeople(unpaid, `unpaid ${key}`, maxRequests, context);
  const { known, left, stopped } = sources;
  const unread = new Set([...buyersOf(lacking)].filter((buyer) => !known.has(buyer)));
  const whole = lacking.flatMap((row) => {
    const orders = known.get(row.buyer);
    return orders === undefined ? [row] : afterPayments(row, orders);
  });
  const held = await dropHeld(whole, maxRequests, context);
  return {
    rows: held.rows,
    unchecked: new Set([...unread, ...held.unchecked]),
    left: left + held.left,
    stopped: stopped ?? held.stopped,
    sources,
  };
}
