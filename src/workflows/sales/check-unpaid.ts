import { readOrdersByEmail } from '../../api/orders-by-email.ts';
import { type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import { hasPaid, type UnpaidProduct } from '../../insights/sales/unpaid-orders.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { inBatches } from '../batch.ts';
import { ordersOutsidePeriod } from '../scan-store.ts';

// A period leaves out the orders before and after it: a person may have paid there.

export interface CheckedUnpaid {
  /** What is still unpaid, as far as it was checked. */
  readonly rows: readonly UnpaidProduct[];
  /** People whose orders outside the period were not read. */
  readonly unchecked: ReadonlySet<string>;
  readonly stopped: string | undefined;
}

interface Person {
  readonly buyer: string;
  /** The API matches the email letter by letter. */
  readonly spellings: readonly string[];
}

function peopleOf(rows: readonly UnpaidProduct[]): Person[] {
  const emails = new Map<string, Set<string>>();
  for (const { buyer, orders } of rows) {
    const own = emails.get(buyer) ?? new Set([buyer]);
    for (const { email } of orders) if (email !== undefined) own.add(email);
    emails.set(buyer, own);
  }
  return [...emails].map(([buyer, own]) => ({ buyer, spellings: [...own] }));
}

/**
 * Reads all orders of each person, one request for each spelling of the email, and drops what they have paid for. `key`: the
 * cache key for the next part.
 */
export async function checkUnpaid(
  rows: readonly UnpaidProduct[],
  key: string,
  maxRequests: number,
  { api, stores, spent, progress }: ToolContext,
): Promise<CheckedUnpaid> {
  const known = stores.of(ordersOutsidePeriod).get(key) ?? new Map<string, readonly SoldOrder[]>();
  const left = () => maxRequests - spent();
  const open = peopleOf(rows).filter(({ buyer }) => !known.has(buyer));
  const run = async ({ spellings }: Person) => {
    const { orders, problem, isCut } = await readOrdersByEmail(api, spellings, { left, partly: true });
    return problem === undefined && !isCut ? orders.map(soldOrder) : undefined;
  };
  const keep = ({ buyer }: Person, orders: readonly SoldOrder[] | undefined) => {
    if (orders !== undefined) known.set(buyer, orders);
  };
  const onProgress = (done: number, total: number) => progress(done, total, `checked ${done} of ${total} people`);
  const { stopped } = await inBatches(open, { run, keep }, { left, progress: onProgress });
  stores.of(ordersOutsidePeriod).set(key, known);
  return {
    rows: rows.filter((row) => !hasPaid(known.get(row.buyer) ?? [], row)),
    unchecked: new Set(rows.filter(({ buyer }) => !known.has(buyer)).map(({ buyer }) => buyer)),
    stopped,
  };
}
