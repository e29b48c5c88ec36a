import * as z from 'zod';
import { rowTimes } from '../../src/insights/row-time.ts';
import { heldSinceText } from '../../src/insights/students/held-since.ts';
import { type Distribution, distribute, type Learner } from '../../src/insights/students/progress.ts';
import { anyRecord, listOutput, memberText } from '../../src/mcp/output/output-schemas.ts';
import { scannedTable } from '../../src/mcp/output/table-shape.ts';
import { bodyWithout } from '../../src/mcp/output/text-format.ts';
import type { Presented } from '../../src/mcp/tool.ts';
import type { Json } from '../../src/shared/json.ts';
import { writeOrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import type { CompletionReading } from '../../src/workflows/students/completion-reader.ts';
import { definedFields, withCutLists } from '../record-result.ts';
import {
  costOf,
  costText,
  coverageWith,
  headText,
  type ProgressScope,
  progressFacts,
} from './course-progress-summary.ts';
import { coverageFirst, firstRow, isAllRead } from './coverage-text.ts';
import { nameLine, positive, salesOutput } from './sales-output.ts';

const learnerRow = z.looseObject({
  email: memberText(),
  name: memberText(),
  percent: z.number().optional(),
  held_since: z.string().optional().describe('A day, or before this period'),
});

const { product, period, coverage, note, next_cursor } = salesOutput;

export const progressOutput = listOutput('stuck', learnerRow, {
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

/** How a row shows the day since when a learner has held the course. */
type DayOf = (learner: Learner) => string | undefined;

function shownLearner(learner: Learner, dayOf: DayOf): Json {
  const { email, name, percent, granted = 0 } = learner;
  return definedFields({
    email: nameLine(email),
    name: nameLine(name),
    percent,
    held_since: dayOf(learner),
    granted: positive(granted),
  });
}

function listsOf({ notStarted, stuck, finished }: Distribution) {
  return Object.entries({ not_started: notStarted, stuck, finished });
}

function rowsOf(spread: Distribution, start: number, end: number, dayOf: DayOf): Json {
  const lists = listsOf(spread).map(([name, list]) => [name, list.slice(start, end)] as const);
  return Object.fromEntries(
    lists.flatMap(([name, list]) =>
      list.length > 0 ? [[name, list.map((learner) => shownLearner(learner, dayOf))]] : [],
    ),
  );
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
export function presentProgress(read: CompletionReading, scope: ProgressScope): Presented {
  const { cursorScope, bounds, stuckAfterDays, limit, context } = scope;
  const spread = distribute(read.learners, { bounds, stuckAfterDays, now: context.now() });
  const coverage = coverageWith(read, spread, scope);
  const isRead = isAllRead(coverage);
  const cost = isRead ? undefined : costOf(coverage, scope);
  const start = firstRow(coverage, scope.cursor);
  const { period: within } = scope.cursor;
  const rowTime = rowTimes(within.timezone, within);
  const dayOf = ({ held }: Learner) => heldSinceText(held, within.from, rowTime);
  const facts = { ...progressFacts(spread, scope, coverage, read.learners), ...(cost === undefined ? {} : { cost }) };

  function answer(most: number) {
    const end = start + most;
    const isLast = listsOf(spread).every(([, { length }]) => length <= end);
    const shown = shownOf(spread, start, end);
    const texts = [
      headText(spread, coverage, scope),
      ...(shown === undefined ? [] : [`Shown: ${shown}${isRead && !isLast ? '; next_cursor shows more' : ''}.`]),
      ...(cost === undefined ? [] : [costText(cost)]),
    ];
    const cursor = { ...scope.cursor, at: isRead ? end : 0 };
    return {
      summary: texts.join(' '),
      data: coverageFirst(
        {
          ...facts,
          ...rowsOf(spread, start, end, dayOf),
          ...(shown === undefined ? {} : { shown }),
          ...(isRead && isLast ? {} : { next_cursor: writeOrderCursor(cursor, cursorScope, context) }),
          coverage,
        },
        coverage,
      ),
    };
  }

  const lengths = listsOf(spread).map(([, { length }]) => Math.min(limit, Math.max(0, length - start)));
  const tables = tablesOf(spread, isRead, dayOf);
  return { ...withCutLists(answer, lengths, 'go on with next_cursor'), tables, body: bodyWithout('shown') };
}
