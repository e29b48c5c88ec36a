import * as z from 'zod';
import type { RowTime } from '../../src/insights/api-time.ts';
import { type Revenue, revenueText } from '../../src/insights/money.ts';
import type { FoundBuyer } from '../../src/insights/sales/find-buyers.ts';
import { memberText } from '../../src/mcp/output/output-schemas.ts';
import { table } from '../../src/mcp/output/text-format.ts';
import { nameLine, positive, revenueOutput } from './sales-output.ts';

/** A sum in the currency of the answer, or sums by currency. Not a union, whose `anyOf` stalls the views of some clients. */
const sumOutput = z
  .unknown()
  .refine((value) => typeof value === 'string' || revenueOutput.safeParse(value).success)
  .meta({ type: ['string', 'object'], additionalProperties: { type: 'string' } });

export const buyerRow = z.looseObject({
  email: memberText(),
  name: memberText(),
  orders: z.int().optional(),
  granted: z.int().optional(),
  amount: sumOutput.optional(),
  alone_total: sumOutput.optional(),
  date: z.string().optional(),
  /** The bundle that included it. */
  via: z.string().optional(),
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

/** A product that came in bundles alone has no order of its own, as `via` says. */
function isImplied({ alone, via }: FoundBuyer): boolean {
  return via.length > 0 && Object.values(alone ?? {}).every((sum) => sum === '0');
}

export function shownBuyer(buyer: FoundBuyer, view: RowView) {
  const { isFull, isGrantedOnly, hasProducts, unchecked, currency, rowTime } = view;
  const { email, name, orders, granted, revenue, alone, via, products, hasPaid } = buyer;
  const [last] = orders;
  const isSummed = !isGrantedOnly;
  return {
    email: nameLine(email),
    name: nameLine(name),
    orders: orders.length > 1 ? orders.length : undefined,
    granted: isSummed ? positive(granted) : undefined,
    amount: isSummed ? sumOf(revenue, currency) : undefined,
    alone_total: isImplied(buyer) || !isSummed ? undefined : alone && sumOf(alone, currency),
    date: isFull ? undefined : rowTime(last?.created_at),
    last_order_at: isFull ? last?.created_at : undefined,
    products: hasProducts && products.length > 0 ? products.map(({ ref }) => ref) : undefined,
    via: nameLine(via.join(', ')),
    first_order_at: isFull ? orders.at(-1)?.created_at : undefined,
    order_ids: isFull ? orders.map(({ id }) => id) : undefined,
    also_paid: hasPaid || undefined,
    unchecked: (last !== undefined && unchecked.has(last.buyer)) || undefined,
  };
}

type Row = ReturnType<typeof shownBuyer>;

/** "amount in USD", or "amount usually USD" if some amounts are in another currency, which their cells name. */
function amountHeading(buyers: readonly FoundBuyer[], currency: string | undefined): string {
  if (currency === undefined) return 'amount';
  const isMixed = buyers.some(({ revenue }) => Object.keys(revenue).some((other) => other !== currency));
  return isMixed ? `amount usually ${currency}` : `amount in ${currency}`;
}

const sumText = (sum: string | Revenue): string => (typeof sum === 'string' ? sum : revenueText(sum));

/** An order of this product alone is missing: all are shared with other products. */
const aloneText = (sum: string | Revenue) => (sum === '0' ? 'shared' : `alone ${sumText(sum)}`);

/** "in Full Access Pass", or "perhaps in Full Access Pass" if its contents are not known. */
const inBundle = (via: string) => (via.startsWith('perhaps ') ? via.replace('perhaps ', 'perhaps in ') : `in ${via}`);

function rareValues({ orders, granted, alone_total, via, first_order_at, order_ids, also_paid, unchecked }: Row) {
  return [
    orders && `${orders} orders`,
    granted && `${granted} of amount 0`,
    alone_total && aloneText(alone_total),
    via && inBundle(via),
    first_order_at && `first ${first_order_at}`,
    order_ids && `ids ${order_ids.join(' ')}`,
    also_paid && 'also paid',
    unchecked && 'unchecked',
  ].filter(Boolean);
}

/** The columns of all pages of one question. `currency`: of most rows, which the heading shows once. */
export function columnsOf(buyers: readonly FoundBuyer[], view: RowView) {
  const { currency, isFull, isGrantedOnly, hasProducts } = view;
  const hasRare = buyers.some((buyer) => rareValues(shownBuyer(buyer, view)).length > 0);
  const amount = amountHeading(buyers, currency);
  const first = ['email', 'name', ...(isGrantedOnly ? [] : [amount]), isFull ? 'last_order_at' : 'date'];
  return { amount, names: [...first, ...(hasProducts ? ['products'] : []), ...(hasRare ? ['besides'] : [])] };
}

/** A line for each buyer. The last column has the rare values: a column for each would cost more in empty cells than they do. */
export function buyerLines(rows: readonly Row[], columns: ReturnType<typeof columnsOf>): string[] {
  const cells = rows.map((row) => {
    const rare = rareValues(row);
    return { ...row, [columns.amount]: row.amount && sumText(row.amount), besides: rare.length > 0 ? rare : undefined };
  });
  return table(cells, columns.names).map((line) => line.replace(/ \| $/, ''));
}
