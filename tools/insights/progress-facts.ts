import * as z from 'zod';
import type { OrderScan } from '../../src/api/order-scan.ts';
import type { Totals } from '../../src/insights/buyers.ts';
import { minutesFor, minutesText } from '../../src/insights/cost.ts';
import { isoTime, type Period, periodFacts, periodText } from '../../src/insights/period.ts';
import type { KnownProduct } from '../../src/insights/product-match.ts';
import { type Distribution, distribute, type Learner } from '../../src/insights/progress.ts';
import type { Learners } from '../../src/mcp/learners.ts';
import { coverageOf, incompleteText, writePlace } from '../../src/mcp/order-question.ts';
import { anyRecord, listOutput } from '../../src/mcp/output.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { counted, nameLine, productFacts, productText, salesOutput } from './sales-facts.ts';

type Json = Record<string, unknown>;

const learnerRow = z.looseObject({
  email: z.string().optional(),
  name: z.string().optional(),
  percent: z.int().optional(),
  bought_at: z.string().optional(),
});

const { product, period, coverage, next_cursor } = salesOutput;

export const progressOutput = listOutput('stuck', learnerRow, {
  product,
  period,
  totals: anyRecord.describe('buyers, read, average_percent, not_started, stuck, finished, unknown, granted_excluded'),
  bands: z.record(z.string(), z.int()).describe('Percents to number of students'),
  stuck_means: z.string(),
  finished: z.array(anyRecord).optional(),
  shown: z.string().describe('Which rows of lists that are longer'),
  cost: anyRecord.describe('requests and minutes of what is left'),
  coverage,
  next_cursor,
});

function rowOf({ email, name, percent, since }: Learner): Json {
  const row = {
    email: nameLine(email),
    name: nameLine(name),
    percent,
    bought_at: since === undefined ? undefined : isoTime(since),
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

interface Scope {
  product: KnownProduct;
  period: Period;
  totals: Totals;
  scan: OrderScan;
  /** Rows of each list that earlier parts of the answer have shown. */
  at: number;
  asked: readonly unknown[];
  bounds: readonly number[];
  stuckAfterDays: number;
  limit: number;
  context: ToolContext;
}

function coverageWith({ learners, unread, stopped }: Learners, { scan, context }: Scope) {
  const scanned = coverageOf(scan, context);
  return {
    ...scanned,
    complete: scanned.complete && unread === 0,
    students_read: learners.length,
    ...(unread > 0 ? { students_left: unread } : {}),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** Buyers on pages that have not been read cost a request each too, and nobody knows yet how many they are. */
function costOf({ pages_left = 0, students_left = 0 }: ReturnType<typeof coverageWith>, { scan, context }: Scope) {
  const requests = students_left + pages_left;
  const minutes = minutesFor(requests, context.budget());
  return { requests, ...(scan.isComplete() ? {} : { at_least: true }), minutes };
}

function costText({ requests, at_least, minutes }: ReturnType<typeof costOf>): string {
  const least = at_least === undefined ? '' : 'at least ';
  const more = at_least === undefined ? '' : ' and one for each buyer who is still to be found';
  return `Left: ${least}${counted(requests, 'request')}, ${least}${minutesText(minutes)}${more}; next_cursor goes on.`;
}

function totalsOf({ average, notStarted, unknown, stuck, finished }: Distribution, read: number, totals: Totals): Json {
  return {
    buyers: totals.buyers,
    read,
    ...(average === undefined ? {} : { average_percent: average }),
    not_started: notStarted,
    stuck: stuck.length,
    finished: finished.length,
    ...(unknown > 0 ? { unknown } : {}),
    granted_excluded: totals.granted_excluded,
  };
}

function spreadText({ average, finished, stuck }: Distribution): string {
  if (average === undefined) return '';
  return `, ${average}% on average, ${finished.length} finished, ${stuck.length} stuck`;
}

/** "stuck 1 to 3 of 42"; undefined where each list is there whole. */
function shownOf({ stuck, finished }: Distribution, start: number, end: number): string | undefined {
  const parts = Object.entries({ stuck, finished }).flatMap(([name, { length }]) => {
    if (length === 0 || (start === 0 && length <= end)) return [];
    const rows = length > start ? `${start + 1} to ${Math.min(end, length)}` : 'none';
    return [`${name} ${rows} of ${length}`];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** What of the answer does not depend on how many rows are shown. */
function factsOf(spread: Distribution, read: number, { product, period, totals, stuckAfterDays }: Scope): Json {
  const bands = Object.fromEntries(spread.bands.map(({ label, learners }) => [label, learners]));
  return {
    product: productFacts(product),
    period: periodFacts(period),
    totals: totalsOf(spread, read, totals),
    ...(read > 0 ? { bands } : {}),
    stuck_means: `below 100% and bought ${stuckAfterDays} or more days ago`,
  };
}

/** The rows of both lists go on together. While somebody has not been read they begin anew with each part. */
export function presentProgress(read: Learners, scope: Scope): Presented {
  const { product, period, totals, asked, bounds, stuckAfterDays, limit, context } = scope;
  const spread = distribute(read.learners, { bounds, stuckAfterDays, now: context.now() });
  const coverage = coverageWith(read, scope);
  const start = coverage.complete ? scope.at : 0;
  const cost = coverage.complete ? undefined : costOf(coverage, scope);
  const of = `Progress in ${productText(product)}, bought ${periodText(period)}`;
  const known = `${read.learners.length} of ${counted(totals.buyers, 'buyer')} read${spreadText(spread)}.`;
  const longest = Math.max(spread.stuck.length, spread.finished.length);
  const facts = factsOf(spread, read.learners.length, scope);

  const answer = (most: number) => {
    const end = start + most;
    const { stuck, finished } = spread;
    const lists = Object.entries({ stuck, finished }).map(([name, list]) => [name, list.slice(start, end).map(rowOf)]);
    const shown = shownOf(spread, start, end);
    const goesOn = cost !== undefined || end < longest;
    const further = cost === undefined && goesOn ? '; next_cursor shows the next' : '';
    const texts = [
      `${incompleteText(coverage)}${of}: ${known}`,
      ...(shown === undefined ? [] : [`Shown: ${shown}${further}.`]),
      ...(cost === undefined ? [] : [costText(cost)]),
    ];
    const place = { period, product, at: cost === undefined ? end : 0 };
    return {
      summary: texts.join(' '),
      data: {
        ...facts,
        ...Object.fromEntries(lists.filter(([, list]) => list !== undefined && list.length > 0)),
        ...(shown === undefined ? {} : { shown }),
        ...(cost === undefined ? {} : { cost }),
        ...(goesOn ? { next_cursor: writePlace(place, asked) } : {}),
        coverage,
      },
    };
  };
  const to = (most: number) => ({ ...answer(most), shown: most, how: 'go on with next_cursor' });
  return { ...answer(limit), cut: { records: limit, to } };
}
