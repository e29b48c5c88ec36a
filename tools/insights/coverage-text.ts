import { unreadableText } from '../../src/insights/unreadable.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { type Part, type Presented, withCut } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { type Coverage, maxRequestsAllowed } from '../../src/workflows/sales/coverage.ts';
import { type OrderCursor, writeOrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import type { AskedOrders } from '../../src/workflows/sales/read-orders.ts';

function uncachedText(needed: number): string {
  const enough =
    needed > maxRequestsAllowed ? 'use a shorter period' : `max_requests must be at least ${needed} to finish`;
  return ` (the earlier parts are no longer cached: continue sooner, or ${enough})`;
}

/** How far an answer was read; `students_left`: in some answers. */
type Reading = Pick<Coverage, 'complete'> & Partial<Coverage> & { students_left?: number | undefined };

/** Whether reading has ended, even early: what was read no longer changes. */
export function isAllRead({ complete, pages_left, students_left }: Reading): boolean {
  return complete || (pages_left === undefined && students_left === undefined);
}

/** The start of the first line of an incomplete answer: "Incomplete (page 2 of the orders …)". */
export function incompleteBecause(problem: string | undefined): string {
  return problem === undefined ? 'Incomplete' : `Incomplete (${problem})`;
}

/** "3 amounts could not be read; undocumented statuses: 2 refunded". */
function doubtsOf({ unreadable = {}, unknown_statuses: unknown = {} }: Reading): string[] {
  const named = Object.entries(unknown).map(([status, count]) => `${count} ${oneLine(status, 40)}`);
  return compact([unreadableText(unreadable), named.length > 0 && `undocumented statuses: ${named.join(', ')}`]);
}

/** "34 of 115 pages or more read": what the counts of an unfinished answer are about. */
function unreadText({ pages_read = 0, pages_left, students_left }: Reading): string[] {
  return compact([
    pages_left !== undefined && `${pages_read} of ${pages_read + pages_left} or more pages of orders read`,
    students_left !== undefined && `${counted(students_left, 'student')} not checked`,
  ]);
}

/** "Incomplete (34 of 115 or more pages of orders read; max_requests is used up: …): "; empty for a complete answer. */
function incompleteText(coverage: Reading): string {
  const { complete, needs_max_requests: needed, pages_left, next, stopped } = coverage;
  if (complete) return '';
  // If pages are left, the next part may read them, so the reason is not final.
  const why = stopped === undefined || pages_left === undefined ? stopped : `stopped by ${stopped}`;
  const reasons = compact([...unreadText(coverage), why ?? next, ...doubtsOf(coverage)]);
  const start = incompleteBecause(reasons.join('; ') || undefined);
  return `${start}${needed === undefined ? '' : uncachedText(needed)}: `;
}

/** The first row to show. 0 while pages are missing, since later orders may change any row. */
export const firstRow = (coverage: Reading, { at }: OrderCursor): number => (isAllRead(coverage) ? at : 0);

/** The first line begins with what is missing; coverage and cursor come last. `lengths`: of each list, cut at `limit` rows. */
export function presentOrders(
  part: (start: number, end: number) => Part,
  coverage: Coverage,
  { lengths, limit }: { lengths: number | readonly number[]; limit: number },
  { cursor, cursorScope, context }: AskedOrders,
): Presented {
  const isRead = isAllRead(coverage);
  const start = firstRow(coverage, cursor);
  const all = [lengths].flat();
  const answer = (most: number) => {
    const end = start + most;
    const { summary, data } = part(start, end);
    const isEnd = isRead && all.every((length) => end >= length);
    const position = { ...cursor, at: isRead ? end : cursor.at };
    const next_cursor = isEnd ? undefined : writeOrderCursor(position, cursorScope, context);
    return { summary: `${incompleteText(coverage)}${summary}`, data: { ...data, coverage, next_cursor } };
  };
  const rows = all.map((length) => Math.min(limit, Math.max(0, length - start)));
  return withCut(answer, rows, 'go on with next_cursor');
}
