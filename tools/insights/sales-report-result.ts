import * as z from 'zod';
import { periodFacts, periodText } from '../../src/insights/period.ts';
import type { Totals } from '../../src/insights/sales/buyers.ts';
import type { KnownProduct } from '../../src/insights/sales/product-match.ts';
import type { Grouping, SalesGroup } from '../../src/insights/sales/sales-report.ts';
import { scannedTable } from '../../src/mcp/output/table-shape.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import {
  coverageOf,
  firstRow,
  incompleteText,
  isAllRead,
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

export const groupRow = z.looseObject({
  key: z.string(),
  label: z.string().optional(),
  orders: z.int(),
  granted: z.int().optional(),
  buyers: z.int(),
  revenue: revenueOutput.optional(),
});

type Row = z.output<typeof groupRow>;

function rowOf({ key, label, orders, granted, buyers, revenue }: SalesGroup): Row {
  const sum = Object.keys(revenue).length > 0 ? revenue : undefined;
  const counts = { orders, granted: positive(granted), buyers };
  return definedFields({ key: nameLine(key) ?? '', label: nameLine(label), ...counts, revenue: sum }) as Row;
}

interface Scope {
  group_by: Grouping;
  place: OrderCursor;
  product: KnownProduct | undefined;
  scan: ResumableScan;
  asked: CursorScope;
  context: ToolContext;
}

/** The answer with the next groups. If more remain, it has a cursor for them. */
export function presentSales(
  { totals, groups }: { totals: Totals; groups: readonly SalesGroup[] },
  { group_by, product, place, scan, asked, context }: Scope,
): Presented {
  const { period } = place;
  const coverage = coverageOf(scan, context, product);
  const start = firstRow(coverage, place);
  const all = groups.map(rowOf);
  const rows = all.slice(start);
  const of = product === undefined ? '' : ` of ${productText(product)}`;
  const summary = `${incompleteText(coverage)}Sales${of} ${periodText(period)}: ${counted(totals.buyers, 'buyer')}, ${totalsText(totals)}.`;
  const answer = (count: number) => ({
    summary,
    data: definedFields({
      product: product && productFacts(product),
      period: periodFacts(period),
      totals: totalsFacts(totals),
      group_by,
      groups: count > 0 ? rows.slice(0, count) : undefined,
      coverage,
      next_cursor: nextCursor(
        coverage,
        { ...place, product },
        asked,
        { end: start + count, total: groups.length },
        context,
      ),
    }),
  });
  const tables = { groups: scannedTable(all, Object.keys(groupRow.shape), isAllRead(coverage)) };
  return { ...withCut(answer, rows.length, 'go on with next_cursor'), tables };
}
