import * as z from 'zod';
import { type Revenue, revenueText } from '../../src/insights/money.ts';
import { periodFacts, periodText } from '../../src/insights/period.ts';
import type { Buyer, Totals } from '../../src/insights/sales/buyers.ts';
import type { KnownProduct } from '../../src/insights/sales/product-match.ts';
import { counted, field, table } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import type { Json } from '../../src/shared/json.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import {
  type Coverage,
  coverageOf,
  coverageText,
  firstRow,
  incompleteText,
  nextCursor,
  type ResumableScan,
} from '../../src/workflows/sales/resumable-scan.ts';
import { withCut } from '../cut-answer.ts';
import { definedFields } from '../defined-fields.ts';
import {
  nameLine,
  positive,
  productFacts,
  productText,
  revenueOutput,
  totalsFacts,
  totalsText,
} from './sales-output.ts';

type Row = z.output<typeof buyerRow>;

export const buyerRow = z.looseObject({
  email: z.string().optional(),
  name: z.string().optional(),
  orders: z.int(),
  granted: z.int().optional(),
  revenue: revenueOutput,
  last_bought_at: z.string().optional(),
  via: z.string().optional().describe('Bundle that included it'),
  first_bought_at: z.string().optional(),
  order_ids: z.array(z.string()).optional(),
});

function rowOf({ email, name, orders, granted, revenue, via }: Buyer, isFull: boolean): Row {
  const row = {
    email: nameLine(email),
    name: nameLine(name),
    orders: orders.length,
    granted: positive(granted),
    revenue,
    last_bought_at: orders[0]?.created_at,
    via: nameLine(via.join(', ')),
    first_bought_at: isFull ? orders.at(-1)?.created_at : undefined,
    order_ids: isFull ? orders.map(({ id }) => id) : undefined,
  };
  return definedFields(row) as Row;
}

/** The currency of most rows, which the heading shows once. */
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

/** Rare values share one column: a column each would cost more in empty cells than the values themselves. */
const besides = 'besides';

const revenueHeading = (usual: string | undefined) => (usual === undefined ? 'revenue' : `revenue in ${usual}`);

/** The cells of a row by heading. The number of orders is shown only if it exceeds 1. */
function cellsOf(row: Row, usual: string | undefined): Json {
  const { email, name, orders, granted, revenue, last_bought_at, via, first_bought_at, order_ids } = row;
  const rare = [
    ...(orders > 1 ? [`${orders} orders`] : []),
    ...(granted === undefined ? [] : [`${granted} of amount 0`]),
    ...(via === undefined ? [] : [`in ${via}`]),
    ...(first_bought_at === undefined ? [] : [`first ${first_bought_at}`]),
    ...(order_ids === undefined ? [] : [`ids ${order_ids.join(' ')}`]),
  ];
  return definedFields({
    email,
    name,
    [revenueHeading(usual)]: sumText(revenue, usual),
    'last bought': last_bought_at,
    [besides]: rare.length > 0 ? rare : undefined,
  });
}

/** One line per buyer. The column of rare values is omitted if it is empty. */
function buyerLines(rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const usual = usualCurrency(rows);
  const cells = rows.map((row) => cellsOf(row, usual));
  const more = cells.some((row) => Object.hasOwn(row, besides)) ? [besides] : [];
  return table(cells, ['email', 'name', revenueHeading(usual), 'last bought', ...more]);
}

interface Scope {
  place: OrderCursor;
  product: KnownProduct;
  scan: ResumableScan;
  asked: CursorScope;
  input: { limit?: number | undefined; detail?: 'summary' | 'full' | undefined };
  context: ToolContext;
}

/** Omits product, period and totals, which the first line shows. */
function bodyOf({ cut, buyers, next_cursor }: Json, coverage: Coverage): string[] {
  return [
    ...(cut === undefined ? [] : field('cut', cut)),
    ...buyerLines(Array.isArray(buyers) ? buyers : []),
    coverageText(coverage),
    ...(next_cursor === undefined ? [] : field('next_cursor', next_cursor)),
  ];
}

function shownText(start: number, count: number, total: number): string {
  if (count === 0 || count >= total) return '';
  return ` Shown: ${count === 1 ? start + 1 : `${start + 1} to ${start + count}`}.`;
}

/** The answer with the next buyers. If more remain, it has a cursor for them. */
export function presentBuyers(
  { buyers, totals }: { buyers: readonly Buyer[]; totals: Totals },
  { product, place, scan, asked, input: { limit = 50, detail }, context }: Scope,
): Presented {
  const coverage = coverageOf(scan, context, product);
  const start = firstRow(coverage, place);
  const rows = buyers.slice(start, start + limit).map((buyer) => rowOf(buyer, detail === 'full'));
  const of = `${counted(totals.buyers, 'buyer')} of ${productText(product)} ${periodText(place.period)}`;
  const summary = `${incompleteText(coverage)}${of}: ${totalsText(totals)}.`;
  const answer = (count: number) => ({
    summary: summary + shownText(start, count, buyers.length),
    data: definedFields({
      product: productFacts(product),
      period: periodFacts(place.period),
      totals: totalsFacts(totals),
      buyers: count > 0 ? rows.slice(0, count) : undefined,
      coverage,
      next_cursor: nextCursor(
        coverage,
        { ...place, product },
        asked,
        { end: start + count, total: buyers.length },
        context,
      ),
    }),
  });
  const body = (data: Json) => bodyOf(data, coverage);
  return { ...withCut(answer, rows.length, 'go on with next_cursor'), body };
}
