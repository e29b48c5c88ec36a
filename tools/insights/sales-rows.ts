import * as z from 'zod';
import type { OrderScan } from '../../src/api/order-scan.ts';
import type { Totals } from '../../src/insights/buyers.ts';
import { type Period, periodFacts, periodText } from '../../src/insights/period.ts';
import type { KnownProduct } from '../../src/insights/product-match.ts';
import type { Grouping, SalesGroup } from '../../src/insights/sales.ts';
import { coverageOf, incompleteText, writePlace } from '../../src/mcp/order-question.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import { counted, nameLine, productFacts, productText, revenueOutput, totalsFacts, totalsText } from './sales-facts.ts';

export const groupRow = z.looseObject({
  key: z.string(),
  label: z.string().optional(),
  orders: z.int(),
  buyers: z.int(),
  revenue: revenueOutput.optional(),
});

function rowOf({ key, label, orders, buyers, revenue }: SalesGroup): z.output<typeof groupRow> {
  const shown = nameLine(label);
  return {
    key: nameLine(key) ?? '',
    ...(shown === undefined ? {} : { label: shown }),
    orders,
    buyers,
    ...(Object.keys(revenue).length > 0 ? { revenue } : {}),
  };
}

interface Scope {
  group_by: Grouping;
  product: KnownProduct | undefined;
  period: Period;
  scan: OrderScan;
  asked: readonly unknown[];
  context: ToolContext;
}

/** All groups in one answer: where they are too many, larger ones say the same in less. */
export function presentSales(
  { totals, groups }: { totals: Totals; groups: readonly SalesGroup[] },
  { group_by, product, period, scan, asked, context }: Scope,
): Presented {
  const coverage = coverageOf(scan, context);
  const rows = groups.map(rowOf);
  const goesOn = !coverage.complete && (coverage.stopped === undefined || coverage.pages_left !== undefined);
  const of = product === undefined ? '' : ` of ${productText(product)}`;
  const summary = `${incompleteText(coverage)}Sales${of} ${periodText(period)}: ${counted(totals.buyers, 'buyer')}, ${totalsText(totals)}.`;
  const answer = (count: number) => ({
    summary,
    data: {
      ...(product === undefined ? {} : { product: productFacts(product) }),
      period: periodFacts(period),
      totals: totalsFacts(totals),
      group_by,
      ...(count > 0 ? { groups: rows.slice(0, count) } : {}),
      coverage,
      ...(goesOn ? { next_cursor: writePlace({ period, product, at: 0 }, asked) } : {}),
    },
  });
  const how = 'ask for a shorter period, or group by week, month or country';
  const to = (most: number) => ({ ...answer(most), shown: most, how });
  return { ...answer(rows.length), cut: { records: rows.length, to } };
}
