import type { Api } from '../../api/api.ts';
import { listOrders } from '../../contract/orders.ts';
import type { SoldOrder } from '../../insights/sales/sold-order.ts';
import { AcademyError } from '../../shared/errors.ts';

/** What is known about the platform's status filter. Checked once per process. */
export interface StatusFilterState {
  isProven: boolean;
}

const isUnpaid = (status: string | undefined) => ['pending', 'failed'].includes(status?.trim().toLowerCase() ?? '');

/**
 * Why pending and failed orders may be missing although all statuses were requested; undefined if they are not. Some platforms
 * always return paid orders. If no unpaid order was returned, requests one pending order: one request, once per process.
 */
export async function statusFilterProblem(
  api: Api,
  orders: readonly Pick<SoldOrder, 'status'>[],
  filter: StatusFilterState,
): Promise<string | undefined> {
  filter.isProven ||= orders.some(({ status }) => isUnpaid(status));
  if (filter.isProven) return undefined;
  const reading = api.call(listOrders, { status: 'pending', page: 1, per_page: 1 });
  const answer = await reading.catch((error: unknown) => {
    // A refusal proves nothing, and the answer does not depend on it.
    if (error instanceof AcademyError) return undefined;
    throw error;
  });
  const isIgnored = answer?.items.some(({ status }) => !isUnpaid(status)) ?? false;
  filter.isProven = answer !== undefined && !isIgnored;
  return isIgnored
    ? 'the API ignores the status filter and returns paid orders: pending and failed ones may be missing'
    : undefined;
}
