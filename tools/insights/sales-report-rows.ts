import * as z from 'zod';
import type { Grouping, SalesGroup } from '../../src/insights/sales/sales-report.ts';
import { anyRecord } from '../../src/mcp/output/output-schemas.ts';
import { field, scannedTable, type TableShapes, type TextBody } from '../../src/mcp/output/text-format.ts';
import { isObject, type Json } from '../../src/shared/json.ts';
import { definedFields } from '../record-result.ts';
import { nameLine, positive, revenueOutput } from './sales-output.ts';

export const groupRow = z.looseObject({
  key: z.string(),
  label: z.string().optional(),
  orders: z.int(),
  granted: z.int().optional(),
  buyers: z.int(),
  revenue: revenueOutput.optional(),
  order_total: anyRecord.optional(),
  alone_total: anyRecord.optional(),
  partial: z.boolean().optional(),
});

export type Row = z.output<typeof groupRow>;

export const filled = <Sums extends object>(sums: Sums | undefined) =>
  sums !== undefined && Object.keys(sums).length > 0 ? sums : undefined;

const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);

export interface RowView {
  readonly group_by: Grouping;
  /** The product of the question. */
  readonly product: unknown;
  readonly detail: 'summary' | 'full' | undefined;
  readonly include_granted: boolean;
}

/** Whether the sums are those of a product: whole orders, and orders of this product alone. */
export const isOfProduct = ({ group_by, product }: Pick<RowView, 'group_by' | 'product'>) =>
  group_by === 'product' || product !== undefined;

export function shownGroup(group: SalesGroup, scope: RowView): Row {
  const { key, label, orders, granted, buyers, paying, revenue, alone, byCurrency, isPartial } = group;
  const isFull = scope.detail === 'full';
  return definedFields({
    key: nameLine(key) ?? '',
    // The key of a whole month says it.
    label: scope.group_by === 'month' && !isPartial ? undefined : nameLine(label),
    orders,
    granted: positive(granted),
    buyers: scope.include_granted ? paying : buyers,
    holders: scope.include_granted ? buyers : undefined,
    [isOfProduct(scope) ? 'order_total' : 'revenue']: filled(revenue),
    alone_total: alone === undefined || isSame(alone, revenue) ? undefined : alone,
    average: isFull ? filled(byCurrency.average) : undefined,
    buyers_by_currency: isFull ? byCurrency.buyers : undefined,
    partial: isPartial ? true : undefined,
  }) as Row;
}

const firstColumns = ['key', 'label', 'orders', 'granted', 'buyers', 'holders'];
const sumColumns = ['revenue', 'order_total', 'alone_total', 'average', 'buyers_by_currency'];

/** The row with a column for each currency: `order_total USD`. */
function flatRow(row: Json): Json {
  const cells = Object.entries(row).map(([name, value]) =>
    isObject(value) ? Object.entries(value).map(([currency, sum]) => [`${name} ${currency}`, sum]) : [[name, value]],
  );
  return Object.fromEntries(cells.flat());
}

/** The names of the columns, in their order. */
function columnsOf(rows: readonly Json[]): string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const sums = sumColumns.flatMap((sum) => [...names].filter((name) => name.startsWith(`${sum} `)).sort());
  return [...firstColumns, ...sums];
}

export function tablesOf(all: readonly Row[], isRead: boolean): TableShapes {
  const flat = all.map(flatRow);
  return { groups: scannedTable(flat, columnsOf(flat), isRead) };
}

/** The first line shows these. */
const inFirstLine = ['product', 'product_type', 'period', 'groups_total'];

/** The totals that the first line does not show. */
function otherTotals(totals: unknown): Json | undefined {
  const { average, buyers_by_currency } = isObject(totals) ? totals : {};
  return average === undefined ? undefined : definedFields({ average, buyers_by_currency });
}

function shownValue(name: string, value: unknown): unknown {
  if (name === 'totals') return otherTotals(value);
  return name === 'groups' && Array.isArray(value) ? value.map(flatRow) : value;
}

/** Omits what the first line shows. Each currency has a column. */
export const body: TextBody = (data, tables) => {
  const fields = Object.entries(data).map(([name, value]) => [name, shownValue(name, value)] as const);
  const shown = fields.filter(([name, value]) => value !== undefined && !inFirstLine.includes(name));
  return shown.flatMap(([name, value]) => field(name, value, tables));
};
