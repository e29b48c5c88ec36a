import * as z from 'zod';
import { asOf } from '../../insights/period.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import type { CursorScope } from '../../shared/cursor.ts';
import { orderScans } from '../scan-store.ts';
import { type OrderCursor, writeOrderCursor } from './order-cursor.ts';
import { createOrderScan, type OrderScan, type ScanQuestion } from './order-scan.ts';

// What all questions over the orders of a period have in common: how they are read, what they cover, how they go on.

/** As many as a tool takes for `max_requests`. */
export const maxRequestsAllowed = 500;

export interface ResumableScan extends OrderScan {
  /** What the parts before had read was no longer kept. */
  readonly isAgain: boolean;
  /** Has what was read kept for the next part, from now on. */
  keep(): void;
}

/**
 * Reads the orders of a question: anew for its first part, from where the part before ended for a further one. What the call
 * has spent before counts, but one request is always left, so that every part gets on.
 */
export async function scanOrders(
  question: ScanQuestion,
  { isFurther, maxRequests }: { isFurther: boolean; maxRequests: number },
  { api, stores, now, progress, spent }: ToolContext,
): Promise<ResumableScan> {
  const key = JSON.stringify(question);
  const kept = isFurther ? stores.of(orderScans).get(key) : undefined;
  const scan = kept ?? createOrderScan(question, now());
  const most = Math.max(maxRequests, spent() + 1);
  // Also what was read before an error is not read again; and a long reading must not use up the time that it is kept for.
  const keep = () => stores.of(orderScans).set(key, scan);
  await scan.readOn({ api, progress, left: () => most - spent() }).finally(keep);
  return { ...scan, isAgain: isFurther && kept === undefined, keep };
}

/** What an answer over orders covers. */
export interface Coverage {
  complete: boolean;
  pages_read: number;
  pages_left?: number;
  orders_scanned: number;
  requests_spent: number;
  as_of: string;
  /** The least that reads all in one part, where parts follow each other so slowly that each begins anew. */
  needs_max_requests?: number;
  /** Why reading ended early, where it was not for want of requests. */
  stopped?: string;
}

export const coverageOutput = z.looseObject({ complete: z.boolean() });

export function coverageOf(scan: ResumableScan, { spent }: Pick<ToolContext, 'spent'>): Coverage {
  const { orders, pages, pagesLeft } = scan.scanned();
  const stopped = scan.stopped();
  const isEndless = scan.isAgain && pagesLeft > 0 && stopped === undefined;
  return {
    complete: scan.isComplete(),
    pages_read: pages,
    ...(pagesLeft > 0 ? { pages_left: pagesLeft } : {}),
    orders_scanned: orders,
    requests_spent: spent(),
    as_of: asOf(scan.asOf),
    ...(isEndless ? { needs_max_requests: pages + pagesLeft } : {}),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

function lossText(needed: number): string {
  const enough =
    needed > maxRequestsAllowed ? 'ask for a shorter period' : `max_requests must be at least ${needed} to finish`;
  return ` (what the parts before had read was no longer kept: go on sooner, or ${enough})`;
}

/** What is left to be read: pages, and where students are asked for too, students. */
type Left = Pick<Coverage, 'complete' | 'pages_left'> & { students_left?: number };

/** Reading has ended, at the end of the list or before it: what was read changes no more. */
export function isAllRead({ complete, pages_left, students_left }: Left): boolean {
  return complete || (pages_left === undefined && students_left === undefined);
}

/** Begins the first line of an answer that is not whole: "Incomplete (page 2 of the orders …): ". */
export function incompleteBecause(problem: string | undefined): string {
  return problem === undefined ? 'Incomplete, so far' : `Incomplete (${problem})`;
}

/** Stands before the first line of an answer that is not whole; empty for one that is. */
export function incompleteText(coverage: Left & Pick<Coverage, 'needs_max_requests' | 'stopped'>): string {
  const { complete, needs_max_requests: needed, pages_left, stopped } = coverage;
  if (complete) return '';
  // Where pages are left, going on may read them; otherwise the reason is all that the reader gets.
  const start = incompleteBecause(pages_left === undefined ? stopped : undefined);
  return `${start}${needed === undefined ? '' : lossText(needed)}: `;
}

/** "Complete: 705 orders, 8 pages, 9 requests, as of 2026-11-21T07:19:42Z." */
export function coverageText({ complete, stopped, ...coverage }: Coverage): string {
  const { pages_read, pages_left, orders_scanned, requests_spent, as_of } = coverage;
  const left = pages_left === undefined ? '' : ` (${pages_left} or more left)`;
  const why = stopped === undefined ? '' : `; stopped by ${stopped}`;
  const read = `${orders_scanned} orders, ${pages_read} pages${left}`;
  return `${complete ? 'Complete' : 'Incomplete'}: ${read}, ${requests_spent} requests, as of ${as_of}${why}.`;
}

/** Where rows begin: while pages are missing anew in each part, since an order that is read later may change any of them. */
export function firstRow(coverage: Left, { at }: OrderCursor): number {
  return isAllRead(coverage) ? at : 0;
}

/** The cursor of the rows from `end` on, or of the pages that are missing; undefined where there is neither. */
export function nextCursor(
  coverage: Coverage,
  place: OrderCursor,
  asked: CursorScope,
  { end, total }: { end: number; total: number },
  context: ToolContext,
): string | undefined {
  const isRead = isAllRead(coverage);
  return !isRead || end < total
    ? writeOrderCursor({ ...place, at: isRead ? end : place.at }, asked, context)
    : undefined;
}
