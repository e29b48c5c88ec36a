import * as z from 'zod';
import { olderTime } from '../../insights/freshness.ts';
import { asOfText, type Period } from '../../insights/period.ts';
import { coverageGaps, isInPeriod, titleConflicts } from '../../insights/sales/coverage-gaps.ts';
import type { ListedProduct } from '../../insights/sales/sold-order.ts';
import { hasUnreadable, type Unreadable, unreadableText } from '../../insights/unreadable.ts';
import { counted } from '../../mcp/output/text-format.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { oneLine } from '../../shared/clean-text.ts';
import type { CursorScope } from '../../shared/cursor.ts';
import { type SourceFacts, sourceFacts, sourceText } from '../mirror-freshness.ts';
import { type OrderCursor, writeOrderCursor } from './order-cursor.ts';
import type { PeopleSources, ReadOrders } from './read-orders.ts';

// What an answer over orders says of its reading, and how it continues.

/** The largest `max_requests`. */
export const maxRequestsAllowed = 500;

type Product = Pick<ListedProduct, 'ref' | 'kind' | 'title'>;

export interface Coverage extends SourceFacts {
  complete: boolean;
  pages_read: number;
  pages_left?: number;
  orders_scanned: number;
  requests_spent: number;
  /** The smallest value that reads everything in one part; set if the parts follow too slowly for the cache. */
  needs_max_requests?: number;
  /** Why requests ran out, and what to do. */
  next?: string;
  /** Why reading ended early, other than for lack of requests. */
  stopped?: string;
  /** Unreadable values in orders that matter to the question. */
  unreadable?: Unreadable;
  /** Two ids with one title, or one id with several titles, among the products of the question. */
  title_conflicts?: readonly string[];
  /** Number of orders by undocumented status; not counted anywhere else. */
  unknown_statuses?: Readonly<Record<string, number>>;
}

export const coverageOutput = z.looseObject({ complete: z.boolean() });

function doubtsOf(scan: ReadOrders, product: Product | undefined) {
  const { unreadable, unknownStatuses } = coverageGaps(scan.all(), scan.question(), product);
  return {
    ...(hasUnreadable(unreadable) ? { unreadable } : {}),
    ...(Object.keys(unknownStatuses).length > 0 ? { unknown_statuses: unknownStatuses } : {}),
  };
}

interface About {
  /** The product of the question; undefined if it is about several, or all. */
  readonly product?: Product | undefined;
  /** Refs of the products of the question; by default `product`; empty: all. */
  readonly refs?: readonly string[];
  /** Where the whole orders of people came from, if they were read. */
  readonly people?: PeopleSources | undefined;
}

export function coverageOf(
  scan: ReadOrders,
  { spent, readAt }: Pick<ToolContext, 'spent' | 'readAt'>,
  { product, refs = product === undefined ? [] : [product.ref], people }: About = {},
): Coverage {
  const { pages, pagesLeft } = scan.scanned();
  const stopped = scan.stopped();
  const doubts = doubtsOf(scan, product);
  const question = scan.question();
  const conflicts = titleConflicts(scan.orders(), refs).slice(0, 10);
  const isEndless = scan.isAgain && pagesLeft > 0 && stopped === undefined;
  const copies = [scan.copied, people?.copied].filter((copy) => copy !== undefined);
  const isScanned = scan.copied === undefined || scan.copied.from !== undefined;
  // What was kept since an earlier call is as old as its reading.
  const apiReadAt = isScanned ? olderTime(people?.apiReadAt, olderTime(scan.asOf, readAt())) : people?.apiReadAt;
  return {
    complete: scan.isComplete() && doubts.unreadable === undefined,
    pages_read: pages,
    ...(pagesLeft > 0 ? { pages_left: pagesLeft } : {}),
    // Orders of the days beside the period are read too, since the API may round its bounds.
    orders_scanned: scan.all().filter((order) => isInPeriod(order, question) !== false).length,
    requests_spent: spent(),
    ...sourceFacts(copies, apiReadAt),
    ...(isEndless ? { needs_max_requests: pages + pagesLeft } : {}),
    ...(pagesLeft > 0 && !isEndless && stopped === undefined ? { next: scan.advice } : {}),
    ...(stopped === undefined ? {} : { stopped }),
    ...doubts,
    ...(conflicts.length > 0 ? { title_conflicts: conflicts } : {}),
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
  return problem === undefined ? 'Incomplete' : `Incomplete (${problem})`;
}

/** The answer with its coverage first if it is incomplete: otherwise its counts read like a result. */
export function coverageFirst<Data extends object>(data: Data, coverage: { complete: boolean }): Data {
  return coverage.complete ? data : { coverage, ...data };
}

type Reasons = Pick<Coverage, 'needs_max_requests' | 'next' | 'stopped' | 'unreadable' | 'unknown_statuses'>;

/** "3 amounts could not be read; undocumented statuses: 2 refunded". */
function doubtText({ unreadable = {}, unknown_statuses: unknown = {} }: Reasons): string {
  const named = Object.entries(unknown).map(([status, count]) => `${count} ${oneLine(status, 40)}`);
  const statuses = named.length === 0 ? [] : [`undocumented statuses: ${named.join(', ')}`];
  return [unreadableText(unreadable), ...statuses].filter((part) => part !== '').join('; ');
}

/** "34 of 115 pages or more read": what the counts of an unfinished answer are about. */
function unreadText({ pages_read = 0, pages_left, students_left }: Unread): string[] {
  return [
    ...(pages_left === undefined ? [] : [`${pages_read} of ${pages_read + pages_left} or more pages of orders read`]),
    ...(students_left === undefined ? [] : [`${counted(students_left, 'student')} not checked`]),
  ];
}

type Unread = Left & { pages_read?: number };

/**
 * The prefix of the first line of an incomplete answer; empty for a complete one: "Incomplete (34 of 115 or more pages of
 * orders read; max_requests is used up: …): ".
 */
export function incompleteText(coverage: Unread & Reasons): string {
  const { complete, needs_max_requests: needed, pages_left, next, stopped } = coverage;
  if (complete) return '';
  // If pages are left, the next part may read them, so the reason is not final.
  const why = stopped === undefined || pages_left === undefined ? stopped : `stopped by ${stopped}`;
  const reasons = [...unreadText(coverage), why ?? next, doubtText(coverage)].filter(Boolean);
  const start = incompleteBecause(reasons.join('; ') || undefined);
  return `${start}${needed === undefined ? '' : uncachedText(needed)}: `;
}

/** More orders only add to counts and sums. */
export function atLeast({ complete }: { complete: boolean }): string {
  return complete ? '' : 'at least ';
}

/** "Complete: 705 orders, 9 requests, as of 2026-11-21 07:19." */
export function coverageText({ complete, stopped, ...coverage }: Coverage, period: Period): string {
  const { source, pages_read, pages_left, orders_scanned, requests_spent } = coverage;
  const left = pages_left === undefined ? '' : ` (${pages_left} or more left)`;
  const why = stopped === undefined ? '' : `; stopped by ${stopped}`;
  const pages = complete || source === 'mirror' ? '' : `, ${pages_read} pages`;
  const at = source === undefined ? asOfText(coverage.as_of ?? '', period) : `, ${sourceText(coverage)}`;
  const read = `${orders_scanned} orders${pages}${left}`;
  return `${complete ? 'Complete' : 'Incomplete'}: ${read}, ${requests_spent} requests${at}${why}.`;
}

/** The first row to show. 0 while pages are missing, since later orders may change any row. */
export function firstRow(coverage: Left, { at }: OrderCursor): number {
  return isAllRead(coverage) ? at : 0;
}

/** The cursor for the rows from `end` on, or for the missing pages; undefined if there are neither. */
export function nextCursor(
  coverage: Coverage,
  cursor: OrderCursor,
  scope: CursorScope,
  { end, total }: { end: number; total: number },
  context: ToolContext,
): string | undefined {
  const isRead = isAllRead(coverage);
  return !isRead || end < total
    ? writeOrderCursor({ ...cursor, at: isRead ? end : cursor.at }, scope, context)
    : undefined;
}
