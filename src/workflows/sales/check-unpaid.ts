import { afterPayments, type UnpaidProduct } from '../../insights/sales/unpaid-orders.ts';
import { accessEnd } from '../../insights/students/access-end.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { readAccessDays } from './access-days.ts';
import { type PeopleContext, readOrdersOfPeople } from './orders-of-people.ts';

export interface CheckedUnpaid {
  /** What is still unpaid, as far as it was checked. */
  readonly rows: readonly UnpaidProduct[];
  /** People whose orders outside the period, or whose end of access, were not read. */
  readonly unchecked: ReadonlySet<string>;
  /** Number of them whom a further part checks. */
  readonly left: number;
  readonly stopped: string | undefined;
}

const mayHaveEnded = ({ paidAt, endedOn }: UnpaidProduct) => paidAt !== undefined && endedOn === undefined;

const buyersOf = (rows: readonly UnpaidProduct[]) => new Set(rows.map(({ buyer }) => buyer));

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

/**
 * Reads all orders of each person, and drops what they have paid for and still hold. `key`: the cache key for the next part.
 */
export async function checkUnpaid(
  rows: readonly UnpaidProduct[],
  key: string,
  maxRequests: number,
  context: PeopleContext,
): Promise<CheckedUnpaid> {
  const lacking = (await dropHeld(rows, maxRequests, context)).rows;
  const unpaid = lacking.flatMap(({ orders }) => orders);
  const { known, left, stopped } = await readOrdersOfPeople(unpaid, `unpaid ${key}`, maxRequests, context);
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
  };
}
