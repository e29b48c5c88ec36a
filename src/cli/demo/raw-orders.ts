import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { OrderRow } from './orders.ts';
import type { Stage } from './stage.ts';
import { isWithin, type Period } from './week.ts';

type Academy = Pick<Stage, 'sandbox' | 'signal'>;

/** The API's own order, as far as the count needs it. */
const rawOrders = z.object({
  orders: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      amount: z.string(),
      currency: z.string(),
      created_at: z.string(),
      courses: z.array(z.object({ id: z.int() })),
    }),
  ),
});

/** Every order there is, straight from the HTTP API: no server of ours and no filter in between. */
async function fetchAll({ sandbox, signal }: Academy) {
  const headers = { authorization: `Bearer ${sandbox.apiKey}` };
  const response = await fetch(`${sandbox.url}/api/v1/orders?status=all`, { headers, signal });
  if (!response.ok) throw new Error(`the raw orders could not be read: HTTP ${response.status}`);
  return rawOrders.parse(await response.json()).orders;
}

function listed(orders: readonly Pick<OrderRow, 'id' | 'amount' | 'currency'>[]): string[] {
  return orders.map(({ id, amount, currency }) => `${id} ${amount} ${currency}`).sort();
}

/** Counts the same question over the raw orders. Throws where the answer differs; gives the number of orders read. */
export async function checkAgainstRaw(
  academy: Academy,
  { period, courseId, answer }: { period: Period; courseId: number; answer: readonly OrderRow[] },
): Promise<number> {
  const all = await fetchAll(academy);
  const expected = all.filter(
    ({ status, amount, created_at, courses }) =>
      (status === 'paid' || status === 'wallet_executed') &&
      /[1-9]/.test(amount) &&
      isWithin(period, created_at) &&
      courses.some(({ id }) => id === courseId),
  );
  if (isDeepStrictEqual(listed(answer), listed(expected))) return all.length;
  throw new Error(`the answer names ${answer.length} purchases, the raw orders hold ${expected.length}`);
}
