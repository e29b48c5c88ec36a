import * as z from 'zod';
import { courseId, integer } from '../../src/contract/schemas/input-fields.ts';
import { rowTimes } from '../../src/insights/api-time.ts';
import { findBuyers, questionAbout, type Totals } from '../../src/insights/sales/find-buyers.ts';
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
import { anyRecord, listOutput, memberText } from '../../src/mcp/output/output-schemas.ts';
import { bodyWithout, counted, scannedTable } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import type { Json } from '../../src/shared/json.ts';
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
import { atLeast, firstRow, isAllRead, presentOrders } from './coverage-text.ts';
import {
  emptyNote,
  nameLine,
  noteOf,
  positive,
  productFacts,
  productText,
  salesOutput,
  salesPeriodFacts,
  salesPeriodText,
  titleNote,
} from './sales-output.ts';
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
function withoutPercent(silent: readonly Learner[]): string {
  const names = silent.slice(0, maxNamed).map(({ email, name, why }) => {
    const who = oneLine(nameLine(email) ?? nameLine(name) ?? 'a buyer without email', 80);
    return why === undefined ? who : `${who} (${oneLine(why, 100)})`;
  });
  const more = silent.length > maxNamed ? ` and ${silent.length - maxNamed} more` : '';
  return `${names.join(', ')}${more}`;
}

function coverageWith(
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

type ProgressCoverage = ReturnType<typeof coverageWith>;

/** The cost of what is left. It is a minimum while pages are unread: each buyer on them costs another request. */
function costOf({ pages_left = 0, students_left = 0 }: ProgressCoverage, { context }: ProgressScope) {
  const requests = students_left + pages_left;
  const minutes = minutesFor(requests, context.budget());
  return { requests, at_least: pages_left > 0 || undefined, minutes };
}

type ProgressCost = ReturnType<typeof costOf>;

function costText({ requests, at_least, minutes }: ProgressCost): string {
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
    unknown: positive(unknown),
    granted: positive(totals.granted),
    granted_excluded: totals.granted_excluded,
  };
}

function headText(
  { average, finished, notStarted, stuck }: Distribution,
  coverage: ProgressCoverage,
  { product, cursor, totals }: ProgressScope,
): string {
  const of = `${productText(product)}, bought ${salesPeriodText(cursor)}`;
  const granted = totals.granted > 0 ? ` (${counted(totals.granted, 'order')} of amount 0)` : '';
  const people = counted(totals.buyers, totals.granted > 0 ? 'holder' : 'buyer');
  const least = coverage.pages_left === undefined ? '' : 'at least ';
  const read = `${coverage.students_read} of ${least}${people}${granted} read`;
  const both = stuck.filter(({ percent = 0 }) => percent <= 0).length;
  const counts = `${atLeast(coverage)}${finished.length} finished, ${notStarted.length} not started, ${stuck.length} stuck (${both} of them not started)`;
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
  const { statuses } = scan.question();
  return {
    product: productFacts(product),
    period: salesPeriodFacts(cursor),
    totals: { counts_are: complete ? undefined : 'at least', ...totalsOf(spread, totals) },
    bands: spread.average === undefined ? undefined : bands,
    stuck_means: `below 100%, 0% too, and held since ${counted(stuckAfterDays, 'day')} ago or earlier`,
    held_since_means: heldSinceMeans(learners),
    finished_means: 'at 100% now; the API has no finishing dates',
    note: noteOf(
      pages_left === undefined ? emptyNote(totals.orders, scan.orders().length, statuses) : undefined,
      titleNote(coverage),
    ),
  };
}

const learnerRow = z.looseObject({
  email: memberText(),
  name: memberText(),
  percent: z.number().optional(),
  held_since: z.string().optional().describe('A day, or before this period'),
});

const { product, period, coverage, note, next_cursor } = salesOutput;

const progressOutput = listOutput('stuck', learnerRow, {
  product,
  period,
  totals: anyRecord,
  bands: z.record(z.string(), z.int()).describe('Number of students per band'),
  stuck_means: z.string(),
  held_since_means: z.string(),
  finished_means: z.string(),
  note,
  not_started: z.array(anyRecord).optional(),
  finished: z.array(anyRecord).optional(),
  shown: z.string().describe('Rows shown of each longer list'),
  cost: anyRecord.describe('requests and minutes of what is left'),
  coverage,
  next_cursor,
});

type DayOf = (learner: Learner) => string | undefined;

function shownLearner(learner: Learner, dayOf: DayOf): Json {
  const { email, name, percent, granted = 0 } = learner;
  return {
    email: nameLine(email),
    name: nameLine(name),
    percent,
    held_since: dayOf(learner),
    granted: positive(granted),
  };
}

function listsOf({ notStarted, stuck, finished }: Distribution) {
  return Object.entries({ not_started: notStarted, stuck, finished });
}

function rowsOf(spread: Distribution, start: number, end: number, dayOf: DayOf): Json {
  const shown = (list: readonly Learner[]) => list.slice(start, end).map((learner) => shownLearner(learner, dayOf));
  return Object.fromEntries(listsOf(spread).map(([name, list]) => [name, shown(list)]));
}

/** "1 to 3", or "row 5": "5 of 5" would read as all five. */
function rowNumbers(start: number, end: number): string {
  if (end <= start) return 'none';
  return end === start + 1 ? `row ${end}` : `${start + 1} to ${end}`;
}

/** "stuck 1 to 3 of 42"; undefined if all lists are whole. */
function shownOf(spread: Distribution, start: number, end: number): string | undefined {
  const parts = listsOf(spread).flatMap(([name, { length }]) => {
    if (length === 0 || (start === 0 && length <= end)) return [];
    return [`${name} ${rowNumbers(start, Math.min(end, length))} of ${length}`];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** All lists have the same columns on every page. */
function tablesOf(spread: Distribution, isAllRead: boolean, dayOf: DayOf) {
  const rows = (list: readonly Learner[]) => list.map((learner) => shownLearner(learner, dayOf));
  const shape = (list: readonly Learner[]) => scannedTable(rows(list), Object.keys(learnerRow.shape), isAllRead);
  return Object.fromEntries(listsOf(spread).map(([name, list]) => [name, shape(list)]));
}

/** The lists continue together from part to part. While students are unread, each part starts at the first row. */
function presentProgress(read: CompletionReading, scope: ProgressScope): Presented {
  const { bounds, stuckAfterDays, limit, context } = scope;
  const spread = distribute(read.learners, { bounds, stuckAfterDays, now: context.now() });
  const coverage = coverageWith(read, spread, scope);
  const isRead = isAllRead(coverage);
  const cost = isRead ? undefined : costOf(coverage, scope);
  const start = firstRow(coverage, scope.cursor);
  const { period: within } = scope.cursor;
  const rowTime = rowTimes(within.timezone, within);
  const dayOf = ({ held }: Learner) => heldSinceText(held, within.from, rowTime);
  const facts = { ...progressFacts(spread, scope, coverage, read.learners), cost };

  const ends = listsOf(spread).map(([, { length }]) => length);
  const total = Math.max(0, ...ends);

  function answer(most: number) {
    const end = start + most;
    const shown = shownOf(spread, start, end);
    const more = isRead && end < total ? '; next_cursor shows more' : '';
    const texts = [
      headText(spread, coverage, scope),
      ...(shown === undefined ? [] : [`Shown: ${shown}${more}.`]),
      ...(cost === undefined ? [] : [costText(cost)]),
    ];
    return { summary: texts.join(' '), data: { ...facts, ...rowsOf(spread, start, end, dayOf), shown } };
  }

  const rows = ends.map((length) => Math.min(limit, Math.max(0, length - start)));
  const presented = presentOrders(answer, coverage, { rows, start, total }, scope);
  return { ...presented, tables: tablesOf(spread, isRead, dayOf), body: bodyWithout('shown') };
}

export const courseProgress = defineTool({
  name: 'course_progress',
  toolset: 'insights',
  title: 'Show the progress of buyers',
  description:
    "Gives an overview of everybody's (a cohort's) progress in a course: how far its buyers are (bundle buyers too): average, bands, and by name who has not started (opened it), is stuck (falling behind, stopped watching) or has finished. One student: get_course_completion, buyers: find_buyers.",
  cost: {
    requests: 1,
    per: 'page of 100 orders',
    plus: [
      { requests: 1, per: 'student' },
      { requests: 1, when: 'for the course' },
    ],
  },
  example: { course_id: 9, period: 'last_week' },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
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
    const { found: product, maxRequests, ...asked } = await askOrders(input, question, context);
    const { scan, cursor } = asked;
    const { buyers, totals } = findBuyers(scan.orders(), questionAbout(product.ref, include_granted));
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
    return presentProgress(read, { ...asked, product, totals, sources, bounds, stuckAfterDays, limit });
  },
});
