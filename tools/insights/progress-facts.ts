import * as z from 'zod';
import type { OrderScan } from '../../src/api/order-scan.ts';
import type { Totals } from '../../src/insights/buyers.ts';
import { minutesFor, minutesText } from '../../src/insights/cost.ts';
import { isoTime, type Period, periodFacts, periodText } from '../../src/insights/period.ts';
import type { KnownProduct } from '../../src/insights/product-match.ts';
import { distribute, type Learner } from '../../src/insights/progress.ts';
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
  asked: readonly unknown[];
  bounds: readonly number[];
  stuckAfterDays: number;
  limit: number;
  context: ToolContext;
}

export function presentProgress({ learners, unread, stopped }: Learners, scope: Scope): Presented {
  const { product, period, totals, scan, asked, bounds, stuckAfterDays, limit, context } = scope;
  const scanned = coverageOf(scan, context);
  const complete = scanned.complete && unread === 0;
  const coverage = {
    ...scanned,
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
  const of = `${productText(product)}, bought ${periodText(period)}`;
  const rest = complete ? '' : ` Left: ${counted(left, 'request')}, ${minutesText(cost.minutes)}; next_cursor goes on.`;
  const summary = `${incompleteText(coverage)}Progress in ${of}: ${learners.length} of ${counted(totals.buyers, 'buyer')} read${average === undefined ? '' : `, ${average}% on average, ${spread.finished.length} finished, ${spread.stuck.length} stuck`}.${rest}`;

  const answer = (most: number) => {
    const lists = Object.entries({ stuck: spread.stuck, finished: spread.finished });
    const rows = lists.map(([name, list]) => [name, list.slice(0, most).map(rowOf)] as const);
    return {
      summary,
      data: {
        product: productFacts(product),
        period: periodFacts(period),
        totals: {
          buyers: totals.buyers,
          read: learners.length,
          ...(average === undefined ? {} : { average_percent: average }),
          not_started: notStarted,
          stuck: spread.stuck.length,
          finished: spread.finished.length,
          ...(unknown > 0 ? { unknown } : {}),
          granted_excluded: totals.granted_excluded,
        },
        ...(learners.length > 0
          ? { bands: Object.fromEntries(spread.bands.map(({ label, learners: count }) => [label, count])) }
          : {}),
        stuck_means: `below 100% and bought ${stuckAfterDays} or more days ago`,
        ...Object.fromEntries(rows.filter(([, list]) => list.length > 0)),
        ...(complete ? {} : { cost, next_cursor: writePlace({ period, product, at: 0 }, asked) }),
        coverage,
      },
    };
  };
  const how = 'lists are shown from the least far on; ask for a shorter period for the others';
  const to = (most: number) => ({ ...answer(most), shown: most, how });
  return { ...answer(limit), cut: { records: limit, to } };
}
