import * as z from 'zod';
import { asOf } from '../../insights/period.ts';
import { evidenceOf } from '../../insights/sales/coverage-gaps.ts';
import type { ListedProduct } from '../../insights/sales/sold-order.ts';
import { hasUnreadable, type Unreadable, unreadableText } from '../../insights/unreadable.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { oneLine } from '../../shared/clean-text.ts';
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
  { api, clockShiftMs, stores, now, progress, spent }: ToolContext,
): Promise<ResumableScan> {
  const key = JSON.stringify(question);
  const kept = isFurther ? stores.of(orderScans).get(key) : undefined;
  const scan = kept ?? createOrderScan(question, now());
  const most = Math.max(maxRequests, spent() + 1);
  // Also what was read before an error is not read again; and a long reading must not use up the time that it is kept for.
  const keep = () => stores.of(orderScans).set(key, scan);
  await scan.readOn({ api, clockShiftMs, progress, left: () => most - spent() }).finally(keep);
  return { ...scan, isAgain: isFurther && kept === undefined, keep };
}

type Product = Pick<ListedProduct, 'ref' | 'kind' | 'title'>;

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
  /** What could not be read, of orders that matter to the question. */
  unreadable?: Unreadable;
  /** Orders by a status that the API document does not name; they are counted nowhere. */
  unknown_statuses?: Readonly<Record<string, number>>;
  /** Orders that the API sent although its filters leave them out; they are counted nowhere. */
  discarded?: number;
  ignored_filters?: readonly string[];
}

export const coverageOutput = z.looseObject({ complete: z.boolean() });

/** What of the orders themselves leaves the answer open, and what came that was not asked for. */
function doubtsOf(scan: ResumableScan, product: Product | undefined) {
  const { unreadable, unknownStatuses } = evidenceOf(scan.all(), scan.question(), product);
  const { orders, filters } = scan.discarded();
  return {
    ...(hasUnreadable(unreadable) ? { unreadable } : {}),
    ...(Object.keys(unknownStatuses).length > 0 ? { unknown_statuses: unknownStatuses } : {}),
    ...(orders > 0 ? { discarded: orders } : {}),
    ...(filters.length > 0 ? { ignored_filters: filters } : {}),
  };
}

/** `product` is the one that the question is about; left out where it is about all. */
export function coverageOf(scan: ResumableScan, { spent }: Pick<ToolContext, 'spent'>, product?: Product): Coverage {
  const { orders, pages, pagesLeft } = scan.scanned();
  const stopped = scan.stopped();
  const doubts = doubtsOf(scan, product);
  const isEndless = scan.isAgain && pagesLeft > 0 && stopped === undefined;
  return {
    complete: scan.isComplete() && doubts.unreadable === undefined,
    pages_read: pages,
    ...(pagesLeft > 0 ? { pages_left: pagesLeft } : {}),
    orders_scanned: orders,
    requests_spent: spent(),
    as_of: asOf(scan.asOf),
    ...(isEndless ? { needs_max_requests: pages + pagesLeft } : {}),
    ...(stopped === undefined ? {} : { stopped }),
    ...doubts,
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

type Reasons = Pick<Coverage, 'needs_max_requests' | 'stopped' | 'unreadable' | 'unknown_statuses'>;

/** "3 amounts could not be read, 2 orders are of the unknown status refunded". */
function doubtText({ unreadable = {}, unknown_statuses: unknown = {} }: Reasons): string {
  const named = Object.entries(unknown).map(([status, count]) => `${count} ${oneLine(status, 40)}`);
  const statuses = named.length === 0 ? [] : [`statuses that are not documented: ${named.join(', ')}`];
  return [unreadableText(unreadable), ...statuses].filter((part) => part !== '').join('; ');
}

/** Stands before the first line of an answer that is not whole; empty for one that is. */
export function incompleteText(coverage: Left & Reasons): string {
  const { complete, needs_max_requests: needed, pages_left, stopped } = coverage;
  if (complete) return '';
  // Where pages are left, going on may read them; otherwise the reason is all that the reader gets.
  const reasons = [pages_left === undefined ? stopped : undefined, doubtText(coverage)].filter(Boolean);
  const start = incompleteBecause(reasons.join('; ') || undefined);
  return `${start}${needed === undefined ? '' : lossText(needed)}: `;
}

/** "Complete: 705 orders, 8 pages, 9 requests, as of 2026-11-21T07:19:42Z." */
export function coverageText({ complete, stopped, ...coverage }: Coverage): string {
  const { pages_read, pages_left, orders_scanned, requests_spent, as_of, discarded, ignored_filters = [] } = coverage;
  const ignored = ignored_filters.length === 0 ? '' : `, which ignored ${ignored_filters.join(' and ')}`;
  const strays = discarded === undefined ? '' : `; left out ${discarded} that the API was not asked for${ignored}`;
  const left = pages_left === undefined ? '' : ` (${pages_left} or more left)`;
  const why = stopped === undefined ? '' : `; stopped by ${stopped}`;
  const read = `${orders_scanned} orders, ${pages_read} pages${left}`;
  return `${complete ? 'Complete' : 'Incomplete'}: ${read}, ${requests_spent} requests, as of ${as_of}${why}${strays}.`;
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
