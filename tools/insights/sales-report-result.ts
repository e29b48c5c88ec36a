import * as z from 'zod';
import type { KnownProduct } from '../../src/insights/sales/product-match.ts';
import type { Grouping, Sales, SalesGroup, SortKey } from '../../src/insights/sales/sales-report.ts';
import { anyRecord } from '../../src/mcp/output/output-schemas.ts';
import { scannedTable } from '../../src/mcp/output/table-shape.ts';
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
  emptyNote,
  nameLine,
  noteOf,
  peopleText,
  positive,
  productFacts,
  productText,
  replacedNote,
  revenueOutput,
  salesPeriodFacts,
  salesPeriodText,
  totalNote,
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
  order_total: anyRecord.optional(),
  alone_total: anyRecord.optional(),
  average: anyRecord.optional(),
  partial: z.boolean().optional(),
});

type Row = z.output<typeof groupRow>;

const filled = <Sums extends object>(sums: Sums | undefined) =>
  sums !== undefined && Object.keys(sums).length > 0 ? sums : undefined;

const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);

function rowOf(group: SalesGroup, { include_granted }: Pick<Scope, 'include_granted'>): Row {
  const { key, label, orders, granted, buyers, paying, revenue, alone, byCurrency, isPartial } = group;
  const isOfProduct = alone !== undefined;
  return definedFields({
    key: nameLine(key) ?? '',
    label: nameLine(label),
    orders,
    granted: positive(granted),
    buyers: include_granted ? paying : buyers,
    holders: include_granted ? buyers : undefined,
    [isOfProduct ? 'order_total' : 'revenue']: filled(revenue),
    alone_total: isOfProduct && !isSame(alone, revenue) ? alone : undefined,
    average: filled(byCurrency.average),
    buyers_by_currency: byCurrency.buyers,
    partial: isPartial ? true : undefined,
  }) as Row;
}

interface Scope {
  group_by: Grouping;
  sort: SortKey | undefined;
  include_granted: boolean;
  statuses: readonly string[] | undefined;
  product_type: string | undefined;
  place: OrderCursor;
  product: KnownProduct | undefined;
  scan: ResumableScan;
  asked: CursorScope;
  context: ToolContext;
  /** Sentences about the listed products. */
  note: string | undefined;
}

function notesOf({ groups, totals, currency }: Sales, { place, scan, sort, note }: Scope): string | undefined {
  const { statuses } = scan.question();
  return noteOf(
    replacedNote(place),
    emptyNote(totals.orders, scan.orders().length, statuses),
    totals.orders > 0 && groups.some(({ alone }) => alone !== undefined)
      ? `${totalNote}; average: of whole orders`
      : undefined,
    sort === 'revenue' && currency !== '' ? `sorted by the sums in ${currency}` : undefined,
    groups.some(({ isPartial }) => isPartial) ? 'partial: the period begins or ends within it' : undefined,
    note,
  );
}

/** The columns that rows of this report may have, in their order. */
function columnsFor(hasHolders: boolean, isOfProduct: boolean): string[] {
  const sums = isOfProduct ? ['order_total', 'alone_total'] : ['revenue'];
  return [
    'key',
    'label',
    'orders',
    'granted',
    'buyers',
    ...(hasHolders ? ['holders'] : []),
    ...sums,
    'average',
    'buyers_by_currency',
    'partial',
  ];
}

/** The answer with the next groups. If more remain, it has a cursor for them. */
export function presentSales(sales: Sales, scope: Scope): Presented {
  const { group_by, product, product_type, place, scan, asked, context, include_granted, statuses } = scope;
  const { totals, groups, alone, byCurrency } = sales;
  const coverage = coverageOf(scan, context, product);
  const start = firstRow(coverage, place);
  const all = groups.map((group) => rowOf(group, scope));
  const rows = all.slice(start);
  const of =
    product === undefined
      ? product_type === undefined
        ? ''
        : ` of type ${product_type}`
      : ` of ${productText(product)}`;
  const view = { include_granted, alone };
  const summary = `${incompleteText(coverage)}Sales${of} ${salesPeriodText(place)}: ${peopleText(totals, view)}, ${totalsText(totals, view)}.`;
  const answer = (count: number) => ({
    summary,
    data: definedFields({
      product: product && productFacts(product),
      product_type: product === undefined ? product_type : undefined,
      period: salesPeriodFacts(place),
      statuses,
      totals: definedFields({
        ...totalsFacts(totals, view),
        average: filled(byCurrency.average),
        buyers_by_currency: byCurrency.buyers,
      }),
      note: notesOf(sales, scope),
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
  const columns = columnsFor(
    include_granted,
    groups.some((group) => group.alone !== undefined),
  );
  const tables = { groups: scannedTable(all, columns, isAllRead(coverage)) };
  return { ...withCut(answer, rows.length, 'go on with next_cursor'), tables };
}
