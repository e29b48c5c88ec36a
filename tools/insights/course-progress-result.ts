import * as z from 'zod';
import { isoTime } from '../../src/insights/period.ts';
import { type Distribution, distribute, type Learner } from '../../src/insights/students/progress.ts';
import { anyRecord, listOutput } from '../../src/mcp/output/output-schemas.ts';
import { bodyWithout } from '../../src/mcp/output/text-format.ts';
import type { Presented } from '../../src/mcp/tool.ts';
import type { Json } from '../../src/shared/json.ts';
import { writeOrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import { firstRow, isAllRead } from '../../src/workflows/sales/resumable-scan.ts';
import type { CompletionReading } from '../../src/workflows/students/completion-reader.ts';
import { withCut } from '../cut-answer.ts';
import { definedFields } from '../defined-fields.ts';
import {
  costOf,
  costText,
  coverageWith,
  headText,
  type ProgressScope,
  progressFacts,
} from './course-progress-summary.ts';
import { nameLine, positive, salesOutput } from './sales-output.ts';

const learnerRow = z.looseObject({
  email: z.string().optional(),
  name: z.string().optional(),
  percent: z.number().optional(),
  bought_at: z.string().optional(),
});

const { product, period, coverage, next_cursor } = salesOutput;

export const progressOutput = listOutput('stuck', learnerRow, {
  product,
  period,
  totals: anyRecord,
  bands: z.record(z.string(), z.int()).describe('Number of students per band'),
  stuck_means: z.string(),
  finished: z.array(anyRecord).optional(),
  shown: z.string().describe('Rows shown of each longer list'),
  cost: anyRecord.describe('requests and minutes of what is left'),
  coverage,
  next_cursor,
});

function rowOf({ email, name, percent, since, granted = 0 }: Learner): Json {
  return definedFields({
    email: nameLine(email),
    name: nameLine(name),
    percent,
    bought_at: since === undefined ? undefined : isoTime(since),
    granted: positive(granted),
  });
}

function rowsOf({ stuck, finished }: Distribution, start: number, end: number): Json {
  const lists = Object.entries({ stuck, finished }).map(([name, list]) => [name, list.slice(start, end)] as const);
  return Object.fromEntries(lists.flatMap(([name, list]) => (list.length > 0 ? [[name, list.map(rowOf)]] : [])));
}

/** "1 to 3", or "row 5": "5 of 5" would read as all five. */
function rowNumbers(start: number, end: number): string {
  if (end <= start) return 'none';
  return end === start + 1 ? `row ${end}` : `${start + 1} to ${end}`;
}

/** "stuck 1 to 3 of 42"; undefined if both lists are whole. */
function shownOf({ stuck, finished }: Distribution, start: number, end: number): string | undefined {
  const parts = Object.entries({ stuck, finished }).flatMap(([name, { length }]) => {
    if (length === 0 || (start === 0 && length <= end)) return [];
    return [`${name} ${rowNumbers(start, Math.min(end, length))} of ${length}`];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** Both lists continue together from part to part. While students are unread, each part starts at the first row. */
export function presentProgress(read: CompletionReading, scope: ProgressScope): Presented {
  const { asked, bounds, stuckAfterDays, limit, context } = scope;
  const spread = distribute(read.learners, { bounds, stuckAfterDays, now: context.now() });
  const coverage = coverageWith(read, spread, scope);
  const isRead = isAllRead(coverage);
  const cost = isRead ? undefined : costOf(coverage, scope);
  const start = firstRow(coverage, scope.place);
  const facts = { ...progressFacts(spread, scope), ...(cost === undefined ? {} : { cost }) };

  function answer(most: number) {
    const end = start + most;
    const isLast = Math.max(spread.stuck.length, spread.finished.length) <= end;
    const shown = shownOf(spread, start, end);
    const texts = [
      headText(spread, coverage, scope),
      ...(shown === undefined ? [] : [`Shown: ${shown}${isRead && !isLast ? '; next_cursor shows more' : ''}.`]),
      ...(cost === undefined ? [] : [costText(cost)]),
    ];
    const place = { ...scope.place, at: isRead ? end : 0 };
    return {
      summary: texts.join(' '),
      data: {
        ...facts,
        ...rowsOf(spread, start, end),
        ...(shown === undefined ? {} : { shown }),
        ...(isRead && isLast ? {} : { next_cursor: writeOrderCursor(place, asked, context) }),
        coverage,
      },
    };
  }

  return { ...withCut(answer, limit, 'go on with next_cursor'), body: bodyWithout('shown') };
}
