import type { Totals } from '../../src/insights/sales/find-buyers.ts';
import type { KnownProduct } from '../../src/insights/sales/product-ref.ts';
import type { Distribution, Learner } from '../../src/insights/students/progress.ts';
import { hasUnreadable, mergeUnreadable } from '../../src/insights/unreadable.ts';
import { minutesFor, minutesText } from '../../src/insights/wait-estimate.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import type { Json } from '../../src/shared/json.ts';
import { coverageOf } from '../../src/workflows/sales/coverage.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import type { PeopleSources, ReadOrders } from '../../src/workflows/sales/read-orders.ts';
import type { CompletionReading } from '../../src/workflows/students/completion-reader.ts';
import { definedFields } from '../record-result.ts';
import { atLeast, incompleteText } from './coverage-text.ts';
import {
  emptyNote,
  nameLine,
  noteOf,
  productFacts,
  productText,
  salesPeriodFacts,
  salesPeriodText,
  titleNote,
} from './sales-output.ts';

export interface ProgressScope {
  /** `at`: number of rows of each list that earlier parts of the answer showed. */
  cursor: OrderCursor;
  product: KnownProduct;
  totals: Totals;
  scan: ReadOrders;
  /** Where the earlier orders of the buyers came from. */
  sources: PeopleSources;
  cursorScope: CursorScope;
  bounds: readonly number[];
  stuckAfterDays: number;
  limit: number;
  context: ToolContext;
}

const maxNamed = 10;

/** The students whose progress could not be read, with the API's reason if any: "ina@example.com (forbidden: …), …". */
function withoutPercent(silent: readonly Learner[]): string {
  const names = silent.slice(0, maxNamed).map(({ email, name, why }) => {
    const who = oneLine(nameLine(email) ?? nameLine(name) ?? 'a buyer without email', 80);
    return why === undefined ? who : `${who} (${oneLine(why, 100)})`;
  });
  const more = silent.length > maxNamed ? ` and ${silent.length - maxNamed} more` : '';
  return `${names.join(', ')}${more}`;
}

/** The coverage of orders and of students. */
export function coverageWith(
  { learners, unread, stopped }: CompletionReading,
  { unknown, unread: silent }: Distribution,
  { scan, sources, product, context }: ProgressScope,
) {
  const scanned = coverageOf(scan, context, { product, people: sources });
  const unreadable = mergeUnreadable(scanned.unreadable ?? {}, { percentages: unknown });
  const isEndless = scan.isAgain && scanned.pages_left === undefined && unread > 0 && stopped === undefined;
  return {
    ...scanned,
    ...(isEndless ? { needs_max_requests: scanned.pages_read + learners.length + unread } : {}),
    complete: scanned.complete && unread === 0 && unknown === 0,
    students_read: learners.length - unknown,
    ...(hasUnreadable(unreadable) ? { unreadable } : {}),
    ...(unknown === 0 ? {} : { without_percent: withoutPercent(silent) }),
    ...(unread > 0 ? { students_left: unread, ...(isEndless ? {} : { next: scan.advice }) } : {}),
    ...(stopped === undefined || scanned.stopped !== undefined ? {} : { stopped }),
  };
}

export type ProgressCoverage = ReturnType<typeof coverageWith>;

/** The cost of what is left. It is a minimum while pages are unread: each buyer on them costs another request. */
export function costOf({ pages_left = 0, students_left = 0 }: ProgressCoverage, { context }: ProgressScope) {
  const requests = students_left + pages_left;
  const minutes = minutesFor(requests, context.budget());
  return { requests, ...(pages_left === 0 ? {} : { at_least: true }), minutes };
}

export type ProgressCost = ReturnType<typeof costOf>;

export function costText({ requests, at_least, minutes }: ProgressCost): string {
  const known = counted(requests, 'request');
  const left = at_least
    ? `at least ${known}, plus one for each buyer on unread pages`
    : `${known}, ${minutesText(minutes)}`;
  return `Left: ${left}; go on with next_cursor.`;
}

/** Omits the counts if no progress was read: a 0 would read as a result. */
function totalsOf({ average, notStarted, unknown, stuck, finished }: Distribution, totals: Totals): Json {
  const counts = { not_started: notStarted.length, stuck: stuck.length, finished: finished.length };
  return {
    ...(totals.granted > 0 ? { holders: totals.buyers, buyers: totals.paying } : { buyers: totals.buyers }),
    ...(average === undefined ? {} : { average_percent: average, ...counts }),
    ...(unknown > 0 ? { unknown } : {}),
    ...(totals.granted > 0 ? { granted: totals.granted } : {}),
    granted_excluded: totals.granted_excluded,
  };
}

/** The first sentence: the course, the period and the figures. */
export function headText(
  { average, finished, notStarted, stuck }: Distribution,
  coverage: ProgressCoverage,
  { product, cursor, totals }: ProgressScope,
): string {
  const of = `${productText(product)}, bought ${salesPeriodText(cursor)}`;
  const granted = totals.granted > 0 ? ` (${counted(totals.granted, 'order')} of amount 0)` : '';
  const people = counted(totals.buyers, totals.granted > 0 ? 'holder' : 'buyer');
  const least = coverage.pages_left === undefined ? '' : 'at least ';
  const read = `${coverage.students_read} of ${least}${people}${granted} read`;
  const counts = `${atLeast(coverage)}${finished.length} finished, ${notStarted.length} not started, ${stuck.length} stuck`;
  const spread = average === undefined ? '' : `, ${average}% on average, ${counts}`;
  return `${incompleteText(coverage)}Progress in ${of}: ${read}${spread}.`;
}

/** Outside the period, only orders that cost no request were read. */
function heldSinceMeans(learners: readonly Learner[]): string {
  const first = 'the earliest order seen, bought or granted';
  if (learners.every(({ held }) => held?.isFirst !== false)) return first;
  return `${first}; "in or before this period": earlier orders were not all read, so the day is not known`;
}

/** The facts that stay when the lists of students are cut. */
export function progressFacts(
  spread: Distribution,
  { product, cursor, totals, scan, stuckAfterDays }: ProgressScope,
  coverage: ProgressCoverage,
  learners: readonly Learner[],
): Json {
  const { complete, pages_left } = coverage;
  const bands = Object.fromEntries(spread.bands.map(({ label, learners }) => [label, learners]));
  const { statuses } = scan.question();
  return definedFields({
    product: productFacts(product),
    period: salesPeriodFacts(cursor),
    totals: { ...(complete ? {} : { counts_are: 'at least' }), ...totalsOf(spread, totals) },
    ...(spread.average === undefined ? {} : { bands }),
    stuck_means: `below 100% and held since ${counted(stuckAfterDays, 'day')} ago or earlier`,
    held_since_means: heldSinceMeans(learners),
    finished_means: 'at 100% now; the API has no finishing dates',
    note: noteOf(
      pages_left === undefined ? emptyNote(totals.orders, scan.orders().length, statuses) : undefined,
      titleNote(coverage),
    ),
  });
}
