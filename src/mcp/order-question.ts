import { createHash } from 'node:crypto';
import * as z from 'zod';
import { createOrderScan, type OrderScan, type ScanQuestion } from '../api/order-scan.ts';
import { isTimeZone } from '../insights/calendar.ts';
import { isoTime, type Period, type PeriodQuestion, resolvePeriod } from '../insights/period.ts';
import type { KnownProduct } from '../insights/product-match.ts';
import { productKinds, productRef } from '../insights/sold-order.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { refuseInput } from './input.ts';
import type { ToolContext } from './tool.ts';

// What all questions over the orders of a period have in common: their bounds, their cursor, what they cover.

/**
 * Where an answer goes on. It carries all that its first part resolved, so that the next part asks the same question;
 * `asked` is a digest of the arguments that must be equal then.
 */
const placeShape = z.strictObject({
  asked: z.string(),
  from: z.int().optional(),
  to: z.int(),
  timezone: z.string().refine(isTimeZone),
  product: z.strictObject({ kind: z.enum(productKinds), id: z.int(), title: z.string().optional() }).optional(),
  at: z.int().min(0),
});

export interface Place {
  readonly period: Period;
  /** The one that the first part found. */
  readonly product: KnownProduct | undefined;
  /** Rows that have been shown. */
  readonly at: number;
}

function digest(asked: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 10);
}

/** Throws `invalid_input` for a cursor of another question. */
export function readPlace(cursor: string, asked: readonly unknown[]): Place {
  const { from, to, timezone, product, at, asked: before } = readCursor(placeShape, cursor);
  if (before !== digest(asked)) {
    throw refuseInput(['cursor belongs to a question with other arguments: repeat those of the answer before']);
  }
  const known = product && { ...product, title: product.title, ref: productRef(product.kind, product.id) };
  return { period: { from, to, timezone }, product: known, at };
}

export function writePlace({ period, product, at }: Place, asked: readonly unknown[]): string {
  const known = product && { kind: product.kind, id: product.id, title: product.title };
  return writeCursor({ asked: digest(asked), ...period, product: known, at });
}

export function periodFor(
  question: Omit<PeriodQuestion, 'timezone'> & { timezone?: string | undefined },
  { now, timezone }: ToolContext,
): Promise<Period> {
  return resolvePeriod({ ...question, timezone: question.timezone ?? timezone }, now());
}

/** Reads the orders of a question: anew for its first part, from where the part before ended for a further one. */
export async function scanOrders(
  question: ScanQuestion,
  { isFurther, maxRequests }: { isFurther: boolean; maxRequests: number },
  { api, jobs, now, progress, spent }: ToolContext,
): Promise<OrderScan> {
  const key = JSON.stringify(question);
  const kept = isFurther ? jobs.scans.get(key) : undefined;
  const scan = kept ?? createOrderScan(question, now());
  // Kept before it is read: what was read before an error is not read again.
  jobs.scans.set(key, scan);
  await scan.readOn({ api, progress, left: () => maxRequests - spent() });
  return scan;
}

/** What an answer over orders covers. */
export interface Coverage {
  complete: boolean;
  pages_read: number;
  pages_left?: number;
  orders_scanned: number;
  requests_spent: number;
  as_of: string;
  /** Why reading ended early, where it was not for want of requests. */
  stopped?: string;
}

export const coverageOutput = z.looseObject({ complete: z.boolean() });

export function coverageOf(scan: OrderScan, { spent }: ToolContext): Coverage {
  const { orders, pages, pagesLeft } = scan.scanned();
  const stopped = scan.stopped();
  return {
    complete: scan.isComplete(),
    pages_read: pages,
    ...(pagesLeft > 0 ? { pages_left: pagesLeft } : {}),
    orders_scanned: orders,
    requests_spent: spent(),
    as_of: isoTime(Math.floor(scan.asOf.getTime() / 1000) * 1000),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** Stands before the first line of an answer that is not whole; empty for one that is. */
export function incompleteText({ complete }: Coverage): string {
  return complete ? '' : 'Incomplete, so far: ';
}

/** "Complete: 705 orders, 8 pages, 9 requests, as of 2026-11-21T07:19:42Z." */
export function coverageText({ complete, stopped, ...coverage }: Coverage): string {
  const { pages_read, pages_left, orders_scanned, requests_spent, as_of } = coverage;
  const left = pages_left === undefined ? '' : ` (${pages_left} or more left)`;
  const why = stopped === undefined ? '' : `; stopped by ${stopped}`;
  const read = `${orders_scanned} orders, ${pages_read} pages${left}`;
  return `${complete ? 'Complete' : 'Incomplete'}: ${read}, ${requests_spent} requests, as of ${as_of}${why}.`;
}
