import * as z from 'zod';
import { coverageGaps } from '../../insights/sales/coverage-gaps.ts';
import type { ListedProduct } from '../../insights/sales/sold-order.ts';
import { hasUnreadable, type Unreadable, unreadableText } from '../../insights/unreadable.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { oneLine } from '../../shared/clean-text.ts';
import type { CursorScope } from '../../shared/cursor.ts';
import { keepingAnswers } from '../kept-api.ts';
import { type SourceFacts, sourceFacts, sourceText } from '../mirror-freshness.ts';
import { orderScans, ttlMs as scanTtlMs } from '../scan-store.ts';
import { scanMirror } from './mirror-scan.ts';
import { type OrderCursor, writeOrderCursor } from './order-cursor.ts';
import { createOrderScan, type OrderScan, type ScanQuestion } from './order-scan.ts';

// What all answers over the orders of a period share: reading, coverage and continuation.

/** The largest `max_requests`. */
export const maxRequestsAllowed = 500;

export interface ResumableScan extends OrderScan {
  /** The earlier parts were no longer cached. */
  readonly isAgain: boolean;
  /** Caches what was read for the next part, from now on. */
  keep(): void;
}

/** The most orders from the mirror to cache: reading more of them again is fast. */
const maxMirrored = 50_000;

/** The scan of the part before; not one of the mirror if the call wants the API. */
function keptScan(key: string, { stores, mirror }: Pick<ToolContext, 'stores' | 'mirror'>): OrderScan | undefined {
  const kept = stores.of(orderScans).get(key);
  return kept?.mirror !== undefined && mirror === undefined ? undefined : kept;
}

/**
 * Reads the orders of a question: from the mirror if it has all of them, otherwise from the API. A further part continues where the part before ended. Requests that the call already spent
 * count, but at least one is left, so that every part makes progress.
 */
export async function scanOrders(
  question: ScanQuestion,
  { isFurther, maxRequests }: { isFurther: boolean; maxRequests: number },
  context: ToolContext,
): Promise<ResumableScan> {
  const { api, clockShiftMs, stores, now, progress, spent } = context;
  const key = JSON.stringify(question);
  const kept = isFurther ? keptScan(key, context) : undefined;
  const mayBeElsewhere = isFurther && kept === undefined && stores.shared.isShared();
  const elsewhere = mayBeElsewhere ? await stores.shared.get(`scan ${key}`) : undefined;
  const isOpen = kept === undefined && elsewhere === undefined;
  const mirrored = isOpen ? await scanMirror(question, context) : kept;
  const scan = mirrored ?? createOrderScan(question, elsewhere === undefined ? now() : new Date(elsewhere.value));
  const limit = Math.max(maxRequests, spent() + 1);
  // Caches after reading, even after an error: pages are not read twice, and a long reading does not use up the cache time.
  const mayKeep = scan.mirror === undefined || scan.scanned().orders <= maxMirrored;
  const keep = () => void (mayKeep && stores.of(orderScans).set(key, scan));
  const keeping = keepingAnswers(api, elsewhere !== undefined);
  await scan.readOn({ api: keeping, clockShiftMs, progress, left: () => limit - spent() }).finally(keep);
  if (stores.shared.isShared() && scan.mirror === undefined)
    await stores.shared.set(`scan ${key}`, scan.asOf.toISOString(), scanTtlMs);
  return { ...scan, isAgain: isFurther && kept === undefined && elsewhere === undefined, keep };
}

type Product = Pick<ListedProduct, 'ref' | 'kind' | 'title'>;

export interface Coverage extends SourceFacts {
  complete: boolean;
  pages_read: number;
  pages_left?: number;
  orders_scanned: number;
  requests_spent: number;
  /** The smallest value that reads everything in one part; set if the parts follow too slowly for the cache. */
  needs_max_requests?: number;
  /** Why reading ended early, other than for lack of requests. */
  stopped?: string;
  /** Unreadable values in orders that matter to the question. */
  unreadable?: Unreadable;
  /** Number of orders by undocumented status; not counted anywhere else. */
  unknown_statuses?: Readonly<Record<string, number>>;
  /** Orders that the API returned although the filters exclude them; not counted anywhere else. */
  discarded?: number;
  ignored_filters?: readonly string[];
}

export const coverageOutput = z.looseObject({ complete: z.boolean() });

/** The unreadable and unrequested orders. */
function doubtsOf(scan: ResumableScan, product: Product | undefined) {
  const { unreadable, unknownStatuses } = coverageGaps(scan.all(), scan.question(), product);
  const { orders, filters } = scan.discarded();
  return {
    ...(hasUnreadable(unreadable) ? { unreadable } : {}),
    ...(Object.keys(unknownStatuses).length > 0 ? { unknown_statuses: unknownStatuses } : {}),
    ...(orders > 0 ? { discarded: orders } : {}),
    ...(filters.length > 0 ? { ignored_filters: filters } : {}),
  };
}

/** `product`: the product of the question; undefined if it is about all. */
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
    ...sourceFacts(scan.mirror?.freshness(), scan.asOf),
    ...(isEndless ? { needs_max_requests: pages + pagesLeft } : {}),
    ...(stopped === undefined ? {} : { stopped }),
    ...doubts,
  };
}

function uncachedText(needed: number): string {
  const enough =
    needed > maxRequestsAllowed ? 'use a shorter period' : `max_requests must be at least ${needed} to finish`;
  return ` (the earlier parts are no longer cached: continue sooner, or ${enough})`;
}

/** The pages, and in some answers students, still to read. */
type Left = Pick<Coverage, 'complete' | 'pages_left'> & { students_left?: number };

/** Whether reading has ended, even early: what was read no longer changes. */
export function isAllRead({ complete, pages_left, students_left }: Left): boolean {
  return complete || (pages_left === undefined && students_left === undefined);
}

/** The start of the first line of an incomplete answer: "Incomplete (page 2 of the orders …)". */
export function incompleteBecause(problem: string | undefined): string {
  return problem === undefined ? 'Incomplete, so far' : `Incomplete (${problem})`;
}

type Reasons = Pick<Coverage, 'needs_max_requests' | 'stopped' | 'unreadable' | 'unknown_statuses'>;

/** "3 amounts could not be read; undocumented statuses: 2 refunded". */
function doubtText({ unreadable = {}, unknown_statuses: unknown = {} }: Reasons): string {
  const named = Object.entries(unknown).map(([status, count]) => `${count} ${oneLine(status, 40)}`);
  const statuses = named.length === 0 ? [] : [`undocumented statuses: ${named.join(', ')}`];
  return [unreadableText(unreadable), ...statuses].filter((part) => part !== '').join('; ');
}

/** The prefix of the first line of an incomplete answer; empty for a complete one. */
export function incompleteText(coverage: Left & Reasons): string {
  const { complete, needs_max_requests: needed, pages_left, stopped } = coverage;
  if (complete) return '';
  // If pages are left, the next part may read them, so the reason is not final.
  const reasons = [pages_left === undefined ? stopped : undefined, doubtText(coverage)].filter(Boolean);
  const start = incompleteBecause(reasons.join('; ') || undefined);
  return `${start}${needed === undefined ? '' : uncachedText(needed)}: `;
}

/** "Complete: 705 orders, 8 pages, 9 requests, as of 2026-11-21T07:19:42Z." */
export function coverageText({ complete, stopped, ...coverage }: Coverage): string {
  const { source, pages_read, pages_left, orders_scanned, requests_spent, discarded, ignored_filters = [] } = coverage;
  const ignored = ignored_filters.length === 0 ? '' : `, since the API ignored ${ignored_filters.join(' and ')}`;
  const strays = discarded === undefined ? '' : `; left out ${discarded} outside the filters${ignored}`;
  const left = pages_left === undefined ? '' : ` (${pages_left} or more left)`;
  const why = stopped === undefined ? '' : `; stopped by ${stopped}`;
  const pages = source === undefined ? `, ${pages_read} pages${left}` : '';
  const read = `${orders_scanned} orders${pages}, ${requests_spent} requests, ${sourceText(coverage)}`;
  return `${complete ? 'Complete' : 'Incomplete'}: ${read}${why}${strays}.`;
}

/** The first row to show. 0 while pages are missing, since later orders may change any row. */
export function firstRow(coverage: Left, { at }: OrderCursor): number {
  return isAllRead(coverage) ? at : 0;
}

/** The cursor for the rows from `end` on, or for the missing pages; undefined if there are neither. */
export function nextCursor(
  coverage: Coverage,
  place: OrderCursor,
  scope: CursorScope,
  { end, total }: { end: number; total: number },
  context: ToolContext,
): string | undefined {
  const isRead = isAllRead(coverage);
  return !isRead || end < total
    ? writeOrderCursor({ ...place, at: isRead ? end : place.at }, scope, context)
    : undefined;
}
