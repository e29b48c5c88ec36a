import * as z from 'zod';
import type { RowTime } from '../../src/insights/api-time.ts';
import { type Revenue, revenueText } from '../../src/insights/money.ts';
import type { FoundBuyer } from '../../src/insights/sales/find-buyers.ts';
import { memberText } from '../../src/mcp/output/output-schemas.ts';
import { table } from '../../src/mcp/output/text-format.ts';
import type { Json } from '../../src/shared/json.ts';
import { nameLine, positive, revenueOutput } from './sales-output.ts';

interface Row extends z.output<typeof buyerRow> {
  amount?: string | Revenue | undefined;
  alone_total?: string | Revenue | undefined;
  products?: readonly string[] | undefined;
  last_order_at?: string | undefined;
  first_order_at?: string | undefined;
  order_ids?: readonly string[] | undefined;
}

const isSum = (value: unknown) => typeof value === 'string' || revenueOutput.safeParse(value).success;

/** A sum in the currency of the answer, or sums by currency. Not a union, whose `anyOf` stalls the views of some clients. */
const sumOutput = z
  .unknown()
  .refine(isSum)
  .meta({ type: ['string', 'object'], additionalProperties: { type: 'string' } });

export const buyerRow = z.looseObject({
  email: memberText(),
  name: memberText(),
  orders: z.int().optional(),
  granted: z.int().optional(),
  amount: sumOutput.optional(),
  alone_total: sumOutput.optional(),
  date: z.string().optional(),
  via: z.string().optional().describe('Bundle that included it'),
  also_paid: z.boolean().optional(),
  unchecked: z.boolean().optional(),
});

export interface RowView {
  readonly isFull: boolean;
  /** The question is about orders of amount 0 alone, so rows have no sums. */
  readonly isGrantedOnly: boolean;
  /** The question is about several products, so each row names its own. */
  readonly hasProducts: boolean;
  /** Buyers of whom it is unknown whether they hold a product that they should not hold. */
  readonly unchecked: ReadonlySet<string>;
  /** The currency of most rows: their sums do not repeat it. */
  readonly currency: string | undefined;
  readonly rowTime: RowTime;
}

function sumOf(revenue: Revenue, currency: string | undefined): string | Revenue {
  const [[only, sum] = [], ...others] = Object.entries(revenue);
  return others.length === 0 && sum !== undefined && only === currency ? sum : revenue;
}

function isUnchecked({ orders: [order] }: FoundBuyer, { unchecked }: RowView): boolean {
  return order !== undefined && unchecked.has(order.buyer);
}

/** A product that came in bundles alone has no order of its own, as `via` says. */
function isImplied({ alone, via }: FoundBuyer): boolean {
  return via.length > 0 && Object.values(alone ?? {}).every((sum) => sum === '0');
}

export function shownBuyer(buyer: FoundBuyer, view: RowView): Row {
  const { isFull, isGrantedOnly, hasProducts, currency, rowTime } = view;
  const { email, name, orders, granted, revenue, alone, via, products, hasPaid } = buyer;
  const isSummed = !isGrantedOnly;
  return {
    email: nameLine(email),
    name: nameLine(name),
    orders: orders.length > 1 ? orders.length : undefined,
    granted: isSummed ? positive(granted) : undefined,
    amount: isSummed ? sumOf(revenue, currency) : undefined,
    alone_total: isImplied(buyer) || !isSummed ? undefined : alone && sumOf(alone, currency),
    date: isFull ? undefined : rowTime(orders[0]?.created_at),
    last_order_at: isFull ? orders[0]?.created_at : undefined,
    products: hasProducts && products.length > 0 ? products.map(({ ref }) => ref) : undefined,
    via: nameLine(via.join(', ')),
    first_order_at: isFull ? orders.at(-1)?.created_at : undefined,
    order_ids: isFull ? orders.map(({ id }) => id) : undefined,
    also_paid: hasPaid || undefined,
    unchecked: isUnchecked(buyer, view) ? true : undefined,
  };
}

/** Rare values share one column: a column each would cost more in empty cells than the values themselves. */
const besides = 'besides';

/** "amount in USD", or "amount usually USD" if some amounts are in another currency, which their cells name. */
function amountHeading(buyers: readonly FoundBuyer[], currency: string | undefined): string {
  if (currency === undefined) return 'amount';
  const isMixed = buyers.some(({ revenue }) => Object.keys(revenue).some((other) => other !== currency));
  return isMixed ? `amount usually ${currency}` : `amount in ${currency}`;
}

function hasRareValues(buyer: FoundBuyer, view: RowView): boolean {
  const { orders, granted, via, alone, hasPaid } = buyer;
  const hasSums = !view.isGrantedOnly && (alone !== undefined || granted > 0);
  return hasSums || hasPaid || view.isFull || orders.length > 1 || via.length > 0 || isUnchecked(buyer, view);
}

const lastColumn = ({ isFull }: RowView) => (isFull ? 'last_order_at' : 'date');

/** The columns of all pages of one question. `currency`: of most rows, which the heading shows once. */
export function columnsOf(buyers: readonly FoundBuyer[], view: RowView) {
  const { currency } = view;
  const last = buyers.some((buyer) => hasRareValues(buyer, view)) ? [besides] : [];
  const products = view.hasProducts ? ['products'] : [];
  const amount = amountHeading(buyers, currency);
  const total = view.isGrantedOnly ? [] : [amount];
  return { currency, amount, names: ['email', 'name', ...total, lastColumn(view), ...products, ...last] };
}

export type Columns = ReturnType<typeof columnsOf>;

function sumText(sum: string | Revenue): string {
  return typeof sum === 'string' ? sum : revenueText(sum);
}

/** An order of this product alone is missing: all are shared with other products. */
const aloneText = (sum: string | Revenue) => (sum === '0' ? 'shared' : `alone ${sumText(sum)}`);

/** "in Full Access Pass", or "perhaps in Full Access Pass" if its contents are not known. */
const inBundle = (via: string) => (via.startsWith('perhaps ') ? via.replace('perhaps ', 'perhaps in ') : `in ${via}`);

/** The cells of a row by heading. The number of orders is shown only if it exceeds 1. */
function cellsOf(row: Row, columns: Columns): Json {
  const { email, name, orders = 1, granted, amount, alone_total, date, products, via } = row;
  const { last_order_at, first_order_at, order_ids, also_paid, unchecked } = row;
  const rare = [
    ...(orders > 1 ? [`${orders} orders`] : []),
    ...(granted === undefined ? [] : [`${granted} of amount 0`]),
    ...(alone_total === undefined ? [] : [aloneText(alone_total)]),
    ...(via === undefined ? [] : [inBundle(via)]),
    ...(first_order_at === undefined ? [] : [`first ${first_order_at}`]),
    ...(order_ids === undefined ? [] : [`ids ${order_ids.join(' ')}`]),
    ...(also_paid === undefined ? [] : ['also paid']),
    ...(unchecked === undefined ? [] : ['unchecked']),
  ];
  return {
    email,
    name,
    [columns.amount]: amount && sumText(amount),
    date,
    last_order_at,
    products,
    [besides]: rare.length > 0 ? rare : undefined,
  };
}

/** A line for each buyer. The last cell, which most rows lack, is left out where it is empty. */
export function buyerLines(rows: readonly Row[], columns: Columns): string[] {
  if (rows.length === 0) return [];
  const lines = table(
    rows.map((row) => cellsOf(row, columns)),
    columns.names,
  );
  return lines.map((line) => line.replace(/ \| $/, ''));
}
