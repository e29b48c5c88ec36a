import { hasPaid, type UnpaidProduct } from '../../insights/sales/unpaid-orders.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { readOrdersOfPeople } from './orders-of-people.ts';

export interface CheckedUnpaid {
  /** What is still unpaid, as far as it was checked. */
  readonly rows: readonly UnpaidProduct[];
  /** People whose orders outside the period were not read. */
  readonly unchecked: ReadonlySet<string>;
  /** Number of them whom a further part checks. */
  readonly left: number;
  readonly stopped: string | undefined;
}

/** Reads all orders of each person, and drops what they have paid for. `key`: the cache key for the next part. */
export async function checkUnpaid(
  rows: readonly UnpaidProduct[],
  key: string,
  maxRequests: number,
  context: ToolContext,
): Promise<CheckedUnpaid> {
  const unpaid = rows.flatMap(({ orders }) => orders);
  const { known, left, stopped } = await readOrdersOfPeople(unpaid, `unpaid ${key}`, maxRequests, context);
  return {
    rows: rows.filter((row) => !hasPaid(known.get(row.buyer) ?? [], row)),
    unchecked: new Set(rows.filter(({ buyer }) => !known.has(buyer)).map(({ buyer }) => buyer)),
    left,
    stopped,
  };
}
