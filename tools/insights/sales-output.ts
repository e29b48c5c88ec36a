import * as z from 'zod';
import { revenueText } from '../../src/insights/money.ts';
import type { Totals } from '../../src/insights/sales/buyers.ts';
import type { KnownProduct } from '../../src/insights/sales/product-match.ts';
import { anyRecord } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { quoted } from '../../src/shared/quote-text.ts';
import { coverageOutput } from '../../src/workflows/sales/resumable-scan.ts';
import { definedFields } from '../defined-fields.ts';

// The parts that answers about sales share.

export const revenueOutput = z.record(z.string(), z.string()).describe('Exact decimal sum by currency');

// These fields are identical in 5 schemas, so the schemas do not list their parts: a model would read them 5 times.
const totalsOutput = anyRecord.describe(
  'buyers, orders, granted (counted), granted_excluded, revenue; shared_orders: with several products, each amount counts whole',
);
export const productOutput = anyRecord;
export const periodOutput = anyRecord;

export const salesOutput = {
  product: productOutput,
  period: periodOutput,
  totals: totalsOutput,
  coverage: coverageOutput,
  next_cursor: z.string(),
};

/** The count, or undefined for 0: answers omit rare counts that are 0. */
export function positive(count: number): number | undefined {
  return count > 0 ? count : undefined;
}

/** A name that a person chose, as one line of at most 200 characters. */
export function nameLine(name: string | undefined): string | undefined {
  return name === undefined ? undefined : oneLine(name, 200) || undefined;
}

export function productFacts({ kind, type = kind, id, title }: KnownProduct) {
  const shown = nameLine(title);
  return { product_type: oneLine(type, 40), id, ...(shown === undefined ? {} : { title: shown }) };
}

/** `course 7 "Watercolour"`. */
export function productText({ kind, type = kind, id, title }: KnownProduct): string {
  const shown = nameLine(title);
  const ref = `${oneLine(type, 40)} ${id}`;
  return shown === undefined ? ref : `${ref} ${quoted(shown)}`;
}

export function totalsFacts({ buyers, orders, revenue, ...counts }: Totals) {
  const { granted, granted_excluded, shared_orders, unreadable_amounts, refunds } = counts;
  return definedFields({
    buyers,
    orders,
    granted: positive(granted),
    granted_excluded,
    shared_orders: positive(shared_orders),
    unreadable_amounts: positive(unreadable_amounts),
    refunds: positive(refunds),
    revenue,
  });
}

/** "3 orders, 149.70 USD; 1 of amount 0 (granted, free or a coupon) left out; 2 shared with other products, counted whole". */
export function totalsText({ orders, granted, granted_excluded, revenue, ...unusual }: Totals): string {
  const { shared_orders, unreadable_amounts, refunds } = unusual;
  const parts = [
    `${counted(orders, 'order')}${granted > 0 ? ` (${granted} of amount 0: granted, free or a coupon)` : ''}, ${revenueText(revenue)}`,
    ...(granted_excluded > 0 ? [`${granted_excluded} of amount 0 (granted, free or a coupon) left out`] : []),
    ...(shared_orders > 0 ? [`${shared_orders} shared with other products, counted whole`] : []),
    ...(unreadable_amounts > 0 ? [`${unreadable_amounts} with an unreadable amount left out`] : []),
    ...(refunds > 0 ? [`${refunds} with an amount below 0 (refunds) left out`] : []),
  ];
  return parts.join('; ');
}
