import type { Api } from '../../api/api.ts';
import type { OrderRecord } from '../../api/orders-by-email.ts';
import { listOrders } from '../../contract/orders.ts';
import { statusOf } from '../../insights/sales/sold-order.ts';
import { AcademyError } from '../../shared/errors.ts';

/** What is known of the platform's filter by status: found out once for a program. */
export interface StatusFilter {
  isProven: boolean;
}

const isUnpaid = (status: string | undefined) => ['pending', 'failed'].includes(statusOf(status) ?? '');

/**
 * Why pending and failed orders may be missing although all statuses were asked for; undefined where nothing speaks for it. Some
 * platforms answer with paid orders whatever is asked. Where no unpaid order came, one order that should be pending is asked for:
 * one request, once for a program.
 */
export async function statusFilterProblem(
  api: Api,
  orders: readonly OrderRecord[],
  filter: StatusFilter,
): Promise<string | undefined> {
  filter.isProven ||= orders.some(({ status }) => isUnpaid(status));
  if (filter.isProven) return undefined;
  const asked = api.call(listOrders, { status: 'pending', page: 1, per_page: 1 });
  const answer = await asked.catch((error: unknown) => {
    // A refusal proves nothing, and the answer does not hang on it.
    if (error instanceof AcademyError) return undefined;
    throw error;
  });
  const isIgnored = answer?.items.some(({ status }) => !isUnpaid(status)) ?? false;
  filter.isProven = answer !== undefined && !isIgnored;
  return isIgnored ? 'the API answers with paid orders whatever status is asked for: others may be missing' : undefined;
}
