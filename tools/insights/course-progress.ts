import * as z from 'zod';
import { courseId, integer } from '../../src/contract/schemas/input-fields.ts';
import { rowTimes } from '../../src/insights/api-time.ts';
import { findBuyers, type Totals } from '../../src/insights/sales/find-buyers.ts';
import type { KnownProduct } from '../../src/insights/sales/products-in-order.ts';
import {
  type Distribution,
  defaultBands,
  distribute,
  heldSince,
  heldSinceText,
  type Learner,
} from '../../src/insights/students/progress.ts';
import { hasUnreadable, mergeUnreadable } from '../../src/insights/unreadable.ts';
import { anyRecord, listOutput, lists, memberText, recordOutput, texts } from '../../src/mcp/output/output-schemas.ts';
import { bodyWithout, counted, scannedTable } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Json } from '../../src/shared/json.ts';
import { compact } from '../../src/shared/quote-text.ts';
import { resolveCourse } from '../../src/workflows/find-product.ts';
import { minutesFor, minutesText } from '../../src/workflows/requests-allowed.ts';
import { coverageOf } from '../../src/workflows/sales/coverage.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import {
  type AskedOrders,
  askOrders,
  knownHistory,
  type PeopleSources,
} from '../../src/workflows/sales/read-orders.ts';
import { type CompletionReading, readCourseCompletions } from '../../src/workflows/students/completion-reader.ts';
import { isAllRead, presentOrders } from './coverage-text.ts';
import * as shared from './sales-output.ts';
import * as common from './shared-arguments.ts';

/** `at` of the cursor: number of rows of each list that earlier parts of the answer showed. */
interface ProgressScope extends AskedOrders {
  product: KnownProduct;
  totals: Totals;
  /** Where the earlier orders of the buyers came from. */
  sources: PeopleSources;
  bounds: readonly number[];
  stuckAfterDays: number;
  limit: number;
}

const maxNamed = 10;

/** The students whose progress could not be read, with the API's reason if any: "ina@example.com (forbidden: …), …". */
function withoutPercent(silent: readonly Learner[]): string | undefined {
  if (silent.length === 0) return undefined;
  const names = silent.slice(0, maxNamed).map(({ email, name, why }) => {
    const who = oneLine(shared.nameLine(email) ?? shared.nameLine(name) ?? 'a buyer without email', 80);
    return why === undefined ? who : `${who} (${oneLine(why, 100)})`;
  });
  return names.join(', ') + (silent.length > maxNamed ? ` and ${silent.length - maxNamed} more` : '');
}

function coverageWith(
  { learners, unread, stopped }: CompletionReading,
  { unread: silent }: Distribution,
  { scan, sources, product, context }: ProgressScope,
) {
  const scanned = coverageOf(scan, context, { product, people: sources });
  const unreadable = mergeUnreadable(scanned.unreadable ?? {}, { percentages: silent.length });
  const isEndless = scan.isAgain && scanned.pages_left === undefined && unread > 0 && stopped === undefined;
  return {
    ...scanned,
    ...(isEndless && { needs_max_requests: scanned.pages_read + learners.length + unread }),
    complete: scanned.complete && unread === 0 && silent.length === 0,
    students_read: learners.length - silent.length,
    ...(hasUnreadable(unreadable) && { unreadable }),
    without_percent: withoutPercent(silent),
    students_left: shared.positive(unread),
    ...(unread > 0 && !isEndless && { next: scan.advice }),
    stopped: scanned.stopped ?? stopped,
  };
}

type ProgressCoverage = ReturnType<typeof coverageWith>;

/** The cost of what is left. It is a minimum while pages are unread: each buyer on them costs another request. */
function costOf({ pages_left = 0, students_left = 0 }: ProgressCoverage, { context }: ProgressScope) {
  const requests = students_left + pages_left;
  const minutes = minutesFor(requests, context.budget());
  return { requests, at_least: pages_left > 0 || undefined, minutes };
}

function costText({ requests, at_least, minutes }: ReturnType<typeof costOf>): string {
  const known = counted(requests, 'request');
  const left = at_least
    ? `at least ${known}, plus one for each buyer on unread pages`
    : `${known}, ${minutesText(minutes)}`;
  return `Left: ${left}; go on with next_cursor.`;
}

/** Omits the counts if no progress was read: a 0 would read as a result. */
function totalsOf({ average, notStarted, unread, stuck, finished }: Distribution, totals: Totals): Json {
  const counts = { not_started: notStarted.length, stuck: stuck.length, finished: finished.length };
  return {
    ...(totals.granted > 0 ? { holders: totals.buyers, buyers: totals.paying } : { buyers: totals.buyers }),
    ...(average === undefined ? {} : { average_percent: average, ...counts }),
    unknown: shared.positive(unread.length),
    granted: shared.positive(totals.granted),
    granted_excluded: totals.granted_excluded,
  };
}

function headText(
  { average, finished, notStarted, stuck }: Distribution,
  coverage: ProgressCoverage,
  { product, cursor, totals }: ProgressScope,
): string {
  const of = `${shared.productText(product)}, bought ${shared.salesPeriodText(cursor)}`;
  const granted = totals.granted > 0 ? ` (${counted(totals.granted, 'order')} of amount 0)` : '';
  const people = counted(totals.buyers, totals.granted > 0 ? 'holder' : 'buyer');
  const least = coverage.pages_left === undefined ? '' : 'at least ';
  const read = `${coverage.students_read} of ${least}${people}${granted} read`;
  const both = stuck.filter(({ percent = 0 }) => percent <= 0).length;
  // More orders only add to counts.
  const counts = `${coverage.complete ? '' : 'at least '}${finished.length} finished, ${notStarted.length} not started, ${stuck.length} stuck (${both} of them not started)`;
  const spread = average === undefined ? '' : `, ${average}% on average, ${counts}`;
  return `Progress in ${of}: ${read}${spread}.`;
}

/** Outside the period, only orders that cost no request were read. */
function heldSinceMeans(learners: readonly Learner[]): string {
  const first = 'the earliest order seen, bought or granted';
  if (learners.every(({ held }) => held?.isFirst !== false)) return first;
  return `${first}; "in or before this period": earlier orders were not all read, so the day is not known`;
}

/** The facts that stay when the lists of students are cut. */
function progressFacts(
  spread: Distribution,
  { product, cursor, totals, scan, stuckAfterDays }: ProgressScope,
  coverage: ProgressCoverage,
  learners: readonly Learner[],
): Json {
  const { complete, pages_left } = coverage;
  const bands = Object.fromEntries(spread.bands.map(({ label, learners }) => [label, learners]));
  return {
    product: shared.productFacts(product),
    period: shared.salesPeriodFacts(cursor),
    totals: { counts_are: complete ? undefined : 'at least', ...totalsOf(spread, totals) },
    bands: spread.average === undefined ? undefined : bands,
    stuck_means: `below 100%, 0% too, and held since ${counted(stuckAfterDays, 'day')} ago or earlier`,
    held_since_means: heldSinceMeans(learners),
    finished_means: 'at 100% now; the API has no finishing dates',
    note: shared.noteOf(pages_left === undefined && shared.emptyNote(totals.orders, scan), shared.titleNote(coverage)),
  };
}

const learnerRow = recordOutput({
  email: memberText(),
  name: memberText(),
  percent: z.number(),
  ...texts('held_since'),
});

const { product, period, coverage, note, next_cursor } = shared.salesOutput;

const progressOutput = listOutput('stuck', learnerRow, {
  product,
  period,
  totals: anyRecord,
  bands: z.record(z.string(), z.int()),
  ...texts('stuck_means', 'held_since_means', 'finished_means'),
  note,
  ...lists('not_started', 'finished'),
  ...texts('shown'),
  cost: anyRecord,
  coverage,
  next_cursor,
});

function listsOf({ notStarted, stuck, finished }: Distribution, { cursor: { period } }: ProgressScope) {
  const rowTime = rowTimes(period.timezone, period);
  const row = ({ email, name, percent, held, granted = 0 }: Learner): Json => ({
    email: shared.nameLine(email),
    name: shared.nameLine(name),
    percent,
    held_since: heldSinceText(held, period.from, rowTime),
    granted: shared.positive(granted),
  });
  const lists = Object.entries({ not_started: notStarted, stuck, finished });
  return lists.map(([name, list]) => [name, list.map(row)] as const);
}

/** "1 to 3", or "row 5": "5 of 5" would read as all five. */
function rowNumbers(start: number, end: number): string {
  if (end <= start) return 'none';
  return end === start + 1 ? `row ${end}` : `${start + 1} to ${end}`;
}

/** "stuck 1 to 3 of 42"; undefined if all lists are whole. */
function shownOf(lists: ReturnType<typeof listsOf>, start: number, end: number): string | undefined {
  const parts = lists.flatMap(([name, { length }]) => {
    if (length === 0 || (start === 0 && length <= end)) return [];
    return [`${name} ${rowNumbers(start, Math.min(end, length))} of ${length}`];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** The lists continue together from part to part. While students are unread, each part starts at the first row. */
function presentProgress(read: CompletionReading, scope: ProgressScope): Presented {
  const { bounds, stuckAfterDays, limit, context } = scope;
  const spread = distribute(read.learners, { bounds, stuckAfterDays, now: context.now() });
  const coverage = coverageWith(read, spread, scope);
  const isRead = isAllRead(coverage);
  const cost = isRead ? undefined : costOf(coverage, scope);
  const facts = { ...progressFacts(spread, scope, coverage, read.learners), cost };
  const lists = listsOf(spread, scope);
  const lengths = lists.map(([, { length }]) => length);

  function answer(start: number, end: number) {
    const shown = shownOf(lists, start, end);
    const more = isRead && lengths.some((length) => end < length) ? '; next_cursor shows more' : '';
    const texts = [headText(spread, coverage, scope), shown && `Shown: ${shown}${more}.`, cost && costText(cost)];
    const rows = Object.fromEntries(lists.map(([name, list]) => [name, list.slice(start, end)]));
    return { summary: compact(texts).join(' '), data: { ...facts, ...rows, shown } };
  }

  // All lists have the same columns on every page.
  const columns = Object.keys(learnerRow.shape);
  const tables = Object.fromEntries(lists.map(([name, list]) => [name, scannedTable(list, columns, isRead)]));
  return { ...presentOrders(answer, coverage, { lengths, limit }, scope), tables, body: bodyWithout('shown') };
}

export const courseProgress = defineTool({
  name: 'course_progress',
  toolset: 'insights',
  title: 'Show the progress of buyers',
  description:
    "Gives an overview of everybody's (a cohort's) progress in a course: how far its buyers are (bundle buyers too): average, bands, and by name who has not started (opened it), is stuck (falling behind, stopped watching) or has finished. One student: get_course_completion, buyers: find_buyers.",
  cost: { 'per page of 100 orders': 1, 'per student': 1, 'for the course': 1 },
  example: { course_id: 9, period: 'last_week' },
  effect: 'read',
  alwaysLoad: true,
  carriesUserContent: true,
  input: z.strictObject({
    course_id: courseId,
    ...common.periodArguments,
    include_granted: common.includeGranted,
    bands: z
      .array(integer(0, 100, 'Percent'))
      .min(1)
      .max(20)
      .describe('Lowest percents; default 0, 1, 25, 50, 75, 100')
      .optional(),
    stuck_after_days: integer(0, 3_650, 'Days since held_since; default 30').optional(),
    limit: common.limit(50),
    cursor: common.cursor,
    max_requests: common.maxRequests,
  }),
  output: progressOutput,
  run: async (input, context) => {
    const { course_id, include_granted = false } = input;
    const { bands: bounds = defaultBands, stuck_after_days: stuckAfterDays = 30, limit = 50 } = input;
    const cursorScope = ['course_progress', course_id, include_granted, stuckAfterDays] as const;
    const find = (cursor: OrderCursor) => resolveCourse(course_id, cursor, context);
    const question = { cursorScope, statuses: common.statusesOf(), find };
    const { found: product, maxRequests, ...reading } = await askOrders(input, question, context);
    const { scan, cursor } = reading;
    const holders = { products: [product.ref], match: 'any', without: [], minProducts: 1 } as const;
    const { buyers, totals } = findBuyers(scan.orders(), { ...holders, includeGranted: include_granted });
    const people = buyers.flatMap(({ orders: [order] }) => order?.buyer ?? []);
    const { orders, isWhole, sources } = await knownHistory(people, scan, context);
    const held = heldSince(orders, product.ref, isWhole);
    const terms = {
      key: `${course_id} ${cursor.period.to}`,
      isFurther: cursor.isFurther,
      held,
      maxRequests,
      stepsBefore: scan.scanned().pages,
    };
    // Also after reading orders ended early, since going on would bring no more of them.
    const read =
      scan.scanned().pagesLeft === 0
        ? await readCourseCompletions(course_id, buyers, terms, context)
        : { learners: [], unread: buyers.length, stopped: undefined };
    // Reading the students may have taken longer than the cache keeps orders.
    scan.keep();
    return presentProgress(read, { ...reading, product, totals, sources, bounds, stuckAfterDays, limit });
  },
});
