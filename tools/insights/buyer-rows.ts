import * as z from 'zod';
import type { OrderScan } from '../../src/api/order-scan.ts';
import type { Buyer, Totals } from '../../src/insights/buyers.ts';
import { type Revenue, revenueText } from '../../src/insights/money.ts';
import { type Period, periodFacts, periodText } from '../../src/insights/period.ts';
import type { KnownProduct } from '../../src/insights/product-match.ts';
import { coverageOf, coverageText, incompleteText, writePlace } from '../../src/mcp/order-question.ts';
import { inline } from '../../src/mcp/render.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { counted, nameLine, productFacts, productText, revenueOutput, totalsFacts, totalsText } from './sales-facts.ts';

type Json = Record<string, unknown>;
type Row = z.output<typeof buyerRow>;

export const buyerRow = z.looseObject({
  email: z.string().optional(),
  name: z.string().optional(),
  orders: z.int(),
  revenue: revenueOutput,
  last_bought_at: z.string().optional(),
  via: z.string().optional().describe('The bundle that it came in'),
  first_bought_at: z.string().optional(),
  order_ids: z.array(z.string()).optional(),
});

function given(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function rowOf({ email, name, orders, revenue, via }: Buyer, isFull: boolean): Row {
  const details = { first_bought_at: orders.at(-1)?.created_at, order_ids: orders.map(({ id }) => id) };
  const row = {
    email: nameLine(email),
    name: nameLine(name),
    orders: orders.length,
    revenue,
    last_bought_at: orders[0]?.created_at,
    via: via.length > 0 ? nameLine(via.join(', ')) : undefined,
    ...(isFull ? details : {}),
  };
  return given(row) as Row;
}

/** The currency of most rows stands in the heading, once. */
function usualCurrency(rows: readonly Row[]): string | undefined {
  const counts = new Map<string, number>();
  for (const currency of rows.flatMap(({ revenue }) => Object.keys(revenue))) {
    counts.set(currency, (counts.get(currency) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

function sumText(revenue: Revenue, usual: string | undefined): string {
  const [[currency, sum] = [], ...others] = Object.entries(revenue);
  return others.length === 0 && sum !== undefined && currency === usual ? sum : revenueText(revenue);
}

/** One line: what is usual is left out. */
function lineOf(row: Row, usual: string | undefined): string {
  const { email, name, orders, revenue, last_bought_at, via, first_bought_at, order_ids } = row;
  const cells = [
    email ?? '?',
    name ?? '',
    sumText(revenue, usual),
    last_bought_at ?? '',
    ...(orders > 1 ? [`${orders} orders`] : []),
    ...(via === undefined ? [] : [via]),
    ...(order_ids === undefined ? [] : [`first ${first_bought_at}`, `ids ${order_ids.join(' ')}`]),
  ];
  return cells.map(inline).join(' | ');
}

function table(rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const usual = usualCurrency(rows);
  const heading = `email | name | revenue${usual === undefined ? '' : ` in ${inline(usual)}`} | last bought | orders if several | bundle if any`;
  return [heading, ...rows.map((row) => lineOf(row, usual))];
}

interface Scope {
  product: KnownProduct;
  period: Period;
  scan: OrderScan;
  /** Buyers that earlier parts of the answer have shown. */
  at: number;
  asked: readonly unknown[];
  input: { limit?: number | undefined; detail?: 'summary' | 'full' | undefined };
  context: ToolContext;
}

/**
 * The answer with the next rows. While pages are missing, rows begin anew with each part: an order that is read later may
 * change any of them.
 */
export function presentBuyers(
  { buyers, totals }: { buyers: readonly Buyer[]; totals: Totals },
  { product, period, scan, at, asked, input, context }: Scope,
): Presented {
  const coverage = coverageOf(scan, context);
  const start = coverage.complete ? at : 0;
  const shown = buyers.slice(start, start + (input.limit ?? 50));
  const rows = shown.map((buyer) => rowOf(buyer, input.detail === 'full'));
  const facts = { product: productFacts(product), period: periodFacts(period), totals: totalsFacts(totals) };

  function answer(count: number) {
    const end = start + count;
    const goesOn = coverage.complete ? end < buyers.length : coverage.stopped === undefined || coverage.pages_left;
    const place = { period, product, at: coverage.complete ? end : 0 };
    return {
      summary: summaryOf(count),
      data: {
        ...facts,
        ...(count > 0 ? { buyers: rows.slice(0, count) } : {}),
        coverage,
        ...(goesOn ? { next_cursor: writePlace(place, asked) } : {}),
      },
    };
  }

  /** Product, period and totals stand in the first line already. */
  const outline = ({ cut, buyers: listed, next_cursor }: Json) => [
    ...(cut === undefined ? [] : [`cut: ${cut}`]),
    ...table(Array.isArray(listed) ? listed : []),
    coverageText(coverage),
    ...(next_cursor === undefined ? [] : [`next_cursor: ${next_cursor}`]),
  ];

  function summaryOf(count: number): string {
    const of = `${counted(totals.buyers, 'buyer')} of ${productText(product)} ${periodText(period)}`;
    const part = count < totals.buyers ? ` Shown: ${start + 1} to ${start + count}.` : '';
    return `${incompleteText(coverage)}${of}: ${totalsText(totals)}.${count > 0 ? part : ''}`;
  }

  const to = (most: number) => ({ ...answer(most), shown: most, how: 'go on with next_cursor' });
  return { ...answer(rows.length), outline, cut: { records: rows.length, to } };
}
