import * as z from 'zod';
import { type OrderStatus, orderStatuses } from '../../src/contract/orders.ts';
import { productTypes } from '../../src/contract/products.ts';
import { dateOrTime } from '../../src/contract/schemas/date-time.ts';
import { flag, integer, limitedText } from '../../src/contract/schemas/input-fields.ts';
import { textFromId } from '../../src/contract/schemas/path-segment.ts';
import { isTimeZone } from '../../src/insights/calendar.ts';
import { periodNames } from '../../src/insights/period.ts';
import { paidStatuses } from '../../src/insights/sales/sold-order.ts';
import { maxRequestsAllowed } from '../../src/workflows/sales/resumable-scan.ts';

// Arguments that several composite tools share.

export const periodArguments = {
  period: z
    .enum(periodNames)
    .describe('Weeks begin on Monday; last_N_days end with today; all_time when no bound is given')
    .optional(),
  created_after: dateOrTime('ISO 8601 date or time, in place of period; from then on').optional(),
  created_before: dateOrTime('ISO 8601 date or time; before then').optional(),
  timezone: limitedText(64)
    .refine(isTimeZone, 'must be an IANA time zone such as "Europe/Lisbon"')
    .describe('IANA zone in which days begin; the setting ACADEMY_TIMEZONE when omitted')
    .optional(),
};

export const product = z
  .preprocess(textFromId, limitedText(255).trim().min(1))
  .describe('Title, slug or id of the product, or a part of its title');

export const productType = z.enum(productTypes).describe('Its kind; with it digits are an id first').optional();

export const includeGranted = flag('true counts access that an admin gave (amount 0) too').optional();

export const statuses = z
  .array(z.enum(orderStatuses))
  .min(1)
  .max(orderStatuses.length)
  .describe('paid and wallet_executed when omitted')
  .optional();

export const cursor = limitedText(2_000).describe('next_cursor of the answer before').optional();

export function maxRequests(usual: number) {
  return integer(1, maxRequestsAllowed, `API requests to spend at most; ${usual} when omitted`).optional();
}

export function limit(usual: number) {
  return integer(1, 500, `How many at most; ${usual} when omitted`).optional();
}

/** In one order, so that equal questions are equal. */
export function statusesOf(given: readonly OrderStatus[] = paidStatuses): OrderStatus[] {
  return orderStatuses.filter((status) => given.includes(status));
}
