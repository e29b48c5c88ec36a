import * as z from 'zod';
import { type Revenue, revenueText } from '../../src/insights/money.ts';
import type { FoundBuyer } from '../../src/insights/sales/find-buyers.ts';
import { anyRecord } from '../../src/mcp/output/output-schemas.ts';
import { table } from '../../src/mcp/output/text-format.ts';
import type { Json } from '../../src/shared/json.ts';
import { definedFields } from '../defined-fields.ts';
import { nameLine, positive, revenueOutput } from './sales-output.ts';

interface Row extends z.output<typeof buyerRow> {
  products?: readonly string[];
  first_order_at?: string;
  order_ids?: readonly string[];
  alone_total?: Revenue;
}

export const buyerRow = z.looseObject({
  email: z.string().optional(),
  name: z.string().optional(),
  orders: z.int(),
  granted: z.int().optional(),
  order_total: revenueOutput,
  alone_total: anyRecord.optional(),
  last_order_at: z.string().optional(),
  via: z.string().optional().describe('Bundle that included it'),
  unchecked: z.boolean().optional(),
});

export interface RowView {
  readonly isFull: boolean;
  /** The question is about several products, so each row names its own. */
  readonly hasProducts: boolean;
  /** Buyers of whom it is unknown whether they hold a product that they should not hold. */
  readonly unchecked: ReadonlySet<string>;
}

function isUnchecked({ orders: [order] }: FoundBuyer, { unchecked }: RowView): boolean {
  return order !== undefined && unchecked.has(order.buyer);
}

export function rowOf(buyer: FoundBuyer, view: RowView): Row {
  const { isFull, hasProducts } = view;
  const { email, name, orders, granted, revenue, alone, via, products } = buyer;
  const row = {
    email: nameLine(email),
    name: nameLine(name),
    orders: orders.length,
    granted: positive(granted),
    order_total: revenue,
    alone_total: alone,
    last_order_at: orders[0]?.created_at,
    products: hasProducts && products.length > 0 ? products.map(({ ref }) => ref) : undefined,
    via: nameLine(via.join(', ')),
    first_order_at: isFull ? orders.at(-1)?.created_at : undefined,
    order_ids: isFull ? orders.map(({ id }) => id) : undefined,
    unchecked: isUnchecked(buyer, view) ? true : undefined,
  };
  return definedFields(row) as Row;
}

/** Rare values share one column: a column each would cost more in empty cells than the values themselves. */
const besides = 'besides';

/** The columns of all pages of one question. */
export interface Columns {
  /** The currency of most rows, which the heading shows once. */
  readonly currency: string | undefined;
  /** Some orders have other products too. */
  readonly hasAlone: boolean;
  readonly names: readonly string[];
}

/** "order_total (alone_total) in USD". */
const totalHeading = ({ currency, hasAlone }: Omit<Columns, 'names'>) =>
  `order_total${hasAlone ? ' (alone_total)' : ''}${currency === undefined ? '' : ` in ${currency}`}`;

function hasRareValues(buyer: FoundBuyer, view: RowView): boolean {
  const { orders, granted, via } = buyer;
  return view.isFull || orders.length > 1 || granted > 0 || via.length > 0 || isUnchecked(buyer, view);
}

export function columnsOf(buyers: readonly FoundBuyer[], view: RowView): Columns {
  const counts = new Map<string, number>();
  for (const currency of buyers.flatMap(({ revenue }) => Object.keys(revenue))) {
    counts.set(currency, (counts.get(currency) ?? 0) + 1);
  }
  const currency = [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
  const last = buyers.some((buyer) => hasRareValues(buyer, view)) ? [besides] : [];
  const products = view.hasProducts ? ['products'] : [];
  const hasAlone = buyers.some(({ alone }) => alone !== undefined);
  const total = totalHeading({ currency, hasAlone });
  return { currency, hasAlone, names: ['email', 'name', total, 'last_order_at', ...products, ...last] };
}

function sumText(revenue: Revenue, usual: string | undefined): string {
  const [[currency, sum] = [], ...others] = Object.entries(revenue);
  return others.length === 0 && sum !== undefined && currency === usual ? sum : revenueText(revenue);
}

/** The cells of a row by heading. The number of orders is shown only if it exceeds 1. */
function cellsOf(row: Row, columns: Columns): Json {
  const { currency } = columns;
  const { email, name, orders, granted, order_total, alone_total, last_order_at, products, via } = row;
  const { first_order_at, order_ids, unchecked } = row;
  const whole = sumText(order_total, currency);
  const rare = [
    ...(orders > 1 ? [`${orders} orders`] : []),
    ...(granted === undefined ? [] : [`${granted} of amount 0`]),
    ...(via === undefined ? [] : [`in ${via}`]),
    ...(first_order_at === undefined ? [] : [`first ${first_order_at}`]),
    ...(order_ids === undefined ? [] : [`ids ${order_ids.join(' ')}`]),
    ...(unchecked === undefined ? [] : ['unchecked']),
  ];
  return definedFields({
    email,
    name,
    [totalHeading(columns)]: alone_total === undefined ? whole : `${whole} (${sumText(alone_total, currency)})`,
    last_order_at,
    products,
    [besides]: rare.length > 0 ? rare : undefined,
  });
}

/** A line for each buyer. */
export function buyerLines(rows: readonly Row[], columns: Columns): string[] {
  if (rows.length === 0) return [];
  return table(
    rows.map((row) => cellsOf(row, columns)),
    columns.names,
  );
}
