import * as z from 'zod';
import { type OrderStatus, orderStatuses } from '../../src/contract/orders.ts';
import { productTypes } from '../../src/contract/products.ts';
import {
  dateOrTime,
  describedOnce,
  flag,
  integer,
  limitedText,
  textFromId,
} from '../../src/contract/schemas/input-fields.ts';
import { isTimeZone, periodNames } from '../../src/insights/period.ts';
import { paidStatuses } from '../../src/insights/sales/sold-order.ts';
import { maxRequestsAllowed } from '../../src/workflows/sales/coverage.ts';

export const periodArguments = {
  period: describedOnce(
    z.enum(periodNames).describe('Weeks begin on Monday; last_ days end with today; all_time when no bound is given'),
  ).optional(),
  created_after: describedOnce(dateOrTime('From this ISO 8601 date or time on; replaces period')).optional(),
  created_before: describedOnce(dateOrTime('Before this ISO 8601 date or time')).optional(),
  timezone: describedOnce(
    limitedText(64)
      .refine(isTimeZone, 'must be an IANA time zone such as "Europe/Lisbon"')
      .describe('IANA time zone of the days; ACADEMY_TIMEZONE when omitted'),
  ).optional(),
};

export const product = z
  .preprocess(textFromId, limitedText(255).trim().min(1))
  .describe('Id (tried first), slug, title or part of it');

export function products(most: number, described: string) {
  return z
    .array(z.preprocess(textFromId, limitedText(255)))
    .min(1)
    .max(most)
    .describe(described);
}

export const productType = describedOnce(z.enum(productTypes).describe('Digits are tried as an id first')).optional();

export const includeGranted = flag('Also counts amount 0').optional();

export const statuses = z
  .array(z.enum(orderStatuses))
  .min(1)
  .max(orderStatuses.length)
  .describe('Default paid, wallet_executed')
  .optional();

export const cursor = describedOnce(limitedText(2_000).describe('next_cursor of the last answer')).optional();

export const maxRequests = describedOnce(
  integer(1, maxRequestsAllowed, 'API requests at most; all the limit allows when omitted'),
).optional();

/** The instructions state this default of `limit`. */
const usualLimit = 50;

export function limit(usual: number) {
  const rows = integer(1, 500, `At most; default ${usual}`);
  return (usual === usualLimit ? describedOnce(rows) : rows).optional();
}

/** Sorted in a fixed order, so that identical calls have identical cursors. */
export function statusesOf(statuses: readonly OrderStatus[] = paidStatuses): OrderStatus[] {
  return orderStatuses.filter((status) => statuses.includes(status));
}
