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

// The arguments that several composite tools share.

export const periodArguments = {
  period: z.enum(periodNames).describe('Default all_time; weeks begin on Monday, last_N_days end today').optional(),
  created_after: dateOrTime('ISO 8601 start; replaces period').optional(),
  created_before: dateOrTime('End, excluded').optional(),
  timezone: limitedText(64)
    .refine(isTimeZone, 'must be an IANA time zone such as "Europe/Lisbon"')
    .describe('IANA zone; default ACADEMY_TIMEZONE')
    .optional(),
};

export const product = z
  .preprocess(textFromId, limitedText(255).trim().min(1))
  .describe('Id, slug, title or part of it');

export function products(most: number, described: string) {
  return z
    .array(z.preprocess(textFromId, limitedText(255)))
    .min(1)
    .max(most)
    .describe(described);
}

export const productType = z.enum(productTypes).describe('Digits are tried as an id first').optional();

export const includeGranted = flag('Also counts amount 0').optional();

export const statuses = z
  .array(z.enum(orderStatuses))
  .min(1)
  .max(orderStatuses.length)
  .describe('Default paid, wallet_executed')
  .optional();

export const cursor = limitedText(2_000).describe('The next_cursor of before').optional();

export const maxRequests = integer(1, maxRequestsAllowed, 'Default: what the limit allows').optional();

export function limit(usual: number) {
  return integer(1, 500, `Default ${usual}`).optional();
}

/** Sorted in a fixed order, so that identical calls have identical cursors. */
export function statusesOf(given: readonly OrderStatus[] = paidStatuses): OrderStatus[] {
  return orderStatuses.filter((status) => given.includes(status));
}
