import * as z from 'zod';
import type { Totals } from '../../src/insights/buyers.ts';
import { minutesFor, minutesText } from '../../src/insights/cost.ts';
import { isoTime, periodFacts, periodText } from '../../src/insights/period.ts';
import type { KnownProduct } from '../../src/insights/product-match.ts';
import { distribute, type Learner } from '../../src/insights/progress.ts';
import type { Learners } from '../../src/mcp/learners.ts';
import { type AskedScan, coverageOf, incompleteText } from '../../src/mcp/order-question.ts';
import { anyRecord, listOutput } from '../../src/mcp/output.ts';
import { type Asked, type Place, writePlace } from '../../src/mcp/place.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { counted, defined, nameLine, productFacts, productText, salesOutput, someOf } from './sales-facts.ts';

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
  totals: anyRecord.describe(
    'buyers, read, average_percent, not_started, stuck, finished, unknown, granted, granted_excluded',
  ),
  bands: z.record(z.string(), z.int()).describe('Percents to number of students'),
  stuck_means: z.string(),
  finished: z.array(anyRecord).optional(),
  cost: anyRecord.describe('requests and minutes of what is left'),
  coverage,
  next_cursor,
});

function rowOf({ email, name, percent, since, granted = 0 }: Learner): Json {
  const row = {
    email: nameLine(email),
    name: nameLine(name),
    percent,
    bought_at: since === undefined ? undefined : isoTime(since),
    granted: someOf(granted),
  };
  return defined(row);
}

interface Scope {
  place: Place;
  product: KnownProduct;
  totals: Totals;
  scan: AskedScan;
  asked: Asked;
  bounds: readonly number[];
  stuckAfterDays: number;
  limit: number;
  context: ToolContext;
}

export function presentProgress({ learners, unread, stopped }: Learners, scope: Scope): Presented {
  const { product, place, totals, scan, asked, bounds, stuckAfterDays, limit, context } = scope;
  const scanned = coverageOf(scan, context);
  const complete = scanned.complete && unread === 0;
  const isEndless = scan.isAgain && scanned.complete && unread > 0 && stopped === undefined;
  const coverage = {
    ...scanned,
    ...(isEndless ? { needs_max_requests: scanned.pages_read + learners.length + unread } : {}),
    complete,
    students_read: learners.length,
    ...(unread > 0 ? { students_left: unread } : {}),
    ...(stopped === undefined ? {} : { stopped }),
  };
  const { average, notStarted, unknown, ...spread } = distribute(learners, {
    bounds,
    stuckAfterDays,
    now: context.now(),
  });
  const left = unread + (scanned.pages_left ?? 0);
  const cost = { requests: left, minutes: minutesFor(left, context.budget()) };
  const of = `${productText(product)}, bought ${periodText(place.period)}`;
  const rest = complete ? '' : ` Left: ${counted(left, 'request')}, ${minutesText(cost.minutes)}; next_cursor goes on.`;
  const summary = `${incompleteText(coverage)}Progress in ${of}: ${learners.length} of ${counted(totals.buyers, 'buyer')}${totals.granted > 0 ? ` (${counted(totals.granted, 'order')} granted)` : ''} read${average === undefined ? '' : `, ${average}% on average, ${spread.finished.length} finished, ${spread.stuck.length} stuck`}.${rest}`;

  const answer = (most: number) => {
    const lists = Object.entries({ stuck: spread.stuck, finished: spread.finished });
    const rows = lists.map(([name, list]) => [name, list.slice(0, most).map(rowOf)] as const);
    return {
      summary,
      data: {
        product: productFacts(product),
        period: periodFacts(place.period),
        totals: {
          buyers: totals.buyers,
          read: learners.length,
          ...(average === undefined ? {} : { average_percent: average }),
          not_started: notStarted,
          stuck: spread.stuck.length,
          finished: spread.finished.length,
          ...(unknown > 0 ? { unknown } : {}),
          ...(totals.granted > 0 ? { granted: totals.granted } : {}),
          granted_excluded: totals.granted_excluded,
        },
        ...(learners.length > 0
          ? { bands: Object.fromEntries(spread.bands.map(({ label, learners: count }) => [label, count])) }
          : {}),
        stuck_means: `below 100% and bought ${stuckAfterDays} or more days ago`,
        ...Object.fromEntries(rows.filter(([, list]) => list.length > 0)),
        ...(complete ? {} : { cost, next_cursor: writePlace(place, asked) }),
        coverage,
      },
    };
  };
  const how = 'lists are shown from the least far on; ask for a shorter period for the others';
  const to = (most: number) => ({ ...answer(most), shown: most, how });
  return { ...answer(limit), cut: { records: limit, to } };
}
