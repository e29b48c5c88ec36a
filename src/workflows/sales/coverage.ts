import * as z from 'zod';
import { olderTime, sourceFacts } from '../../insights/freshness.ts';
import { coverageGaps, isInPeriod, titleConflicts, type WantedProduct } from '../../insights/sales/coverage-gaps.ts';
import { hasUnreadable } from '../../insights/unreadable.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import type { PeopleSources, ReadOrders } from './read-orders.ts';

// What was read for an answer over orders, and what speaks against it.

export const maxRequestsAllowed = 500;

export const coverageOutput = z.looseObject({ complete: z.boolean() });

interface About {
  /** The product of the question; undefined if it is about several, or all. */
  readonly product?: WantedProduct | undefined;
  /** Refs of the products of the question; by default `product`; empty: all. */
  readonly refs?: readonly string[];
  /** Where the whole orders of people came from, if they were read. */
  readonly people?: PeopleSources | undefined;
}

export function coverageOf(
  scan: ReadOrders,
  { spent, readAt }: Pick<ToolContext, 'spent' | 'readAt'>,
  { product, refs = product === undefined ? [] : [product.ref], people }: About = {},
) {
  const { pages, pagesLeft } = scan.scanned();
  const stopped = scan.stopped();
  const question = scan.question();
  const { unreadable, unknownStatuses } = coverageGaps(scan.all(), question, product);
  const isUnreadable = hasUnreadable(unreadable);
  const conflicts = titleConflicts(scan.orders(), refs).slice(0, 10);
  const isEndless = scan.isAgain && pagesLeft > 0 && stopped === undefined;
  const isScanned = scan.copied === undefined || scan.copied.from !== undefined;
  // What was kept since an earlier call is as old as its reading.
  const apiReadAt = isScanned ? olderTime(people?.apiReadAt, olderTime(scan.asOf, readAt())) : people?.apiReadAt;
  return {
    complete: scan.isComplete() && !isUnreadable,
    pages_read: pages,
    ...(pagesLeft > 0 ? { pages_left: pagesLeft } : {}),
    // Orders of the days beside the period are read too, since the API may round its bounds.
    orders_scanned: scan.all().filter((order) => isInPeriod(order, question) !== false).length,
    requests_spent: spent(),
    ...sourceFacts([scan.copied, people?.copied], apiReadAt),
    // The smallest value that reads everything in one part, if the parts follow too slowly for the cache.
    ...(isEndless ? { needs_max_requests: pages + pagesLeft } : {}),
    ...(pagesLeft > 0 && !isEndless && stopped === undefined ? { next: scan.advice } : {}),
    // Why reading ended early, other than for lack of requests.
    stopped,
    ...(isUnreadable ? { unreadable } : {}),
    // By undocumented status; not counted anywhere else.
    ...(Object.keys(unknownStatuses).length > 0 ? { unknown_statuses: unknownStatuses } : {}),
    ...(conflicts.length > 0 ? { title_conflicts: conflicts } : {}),
  };
}

export type Coverage = ReturnType<typeof coverageOf>;
