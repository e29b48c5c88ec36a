import * as z from 'zod';
import type { OrderStatus } from '../../src/contract/orders.ts';
import { type Revenue, revenueText } from '../../src/insights/money.ts';
import { isoTime, periodFacts, periodText } from '../../src/insights/period.ts';
import type { FoundBuyers, GrantedOrders, Marked, Totals } from '../../src/insights/sales/find-buyers.ts';
import type { KnownProduct } from '../../src/insights/sales/products-in-order.ts';
import { paidStatuses } from '../../src/insights/sales/sold-order.ts';
import { anyRecord } from '../../src/mcp/output/output-schemas.ts';
import { counted } from '../../src/mcp/output/text-format.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { hourMs } from '../../src/shared/durations.ts';
import { firstOf } from '../../src/shared/invalid-input.ts';
import { compact, quoted } from '../../src/shared/quote-text.ts';
import type { PeopleCheck } from '../../src/workflows/sales/check-people.ts';
import { type Coverage, coverageOutput } from '../../src/workflows/sales/coverage.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import type { OrderScan } from '../../src/workflows/sales/order-scan.ts';
import type { AskedOrders } from '../../src/workflows/sales/read-orders.ts';

/** Exact decimal sums by currency. */
export const revenueOutput = z.record(z.string(), z.string());

// Five schemas have these fields, so they do not list their parts: a model would read them five times.
export const salesOutput = {
  product: anyRecord,
  period: anyRecord,
  totals: anyRecord,
  coverage: coverageOutput,
  note: z.string(),
  next_cursor: z.string(),
};

/** What the two sums of a product mean, in the answer itself. */
export const productTotalNote =
  'order_total: whole orders, other products included; alone_total: orders of this product alone';
export const totalNote = `${productTotalNote}, absent if the same`;

const aloneProducts = (products: number) => (products > 1 ? 'these products alone' : 'this product alone');

/** The same for rows of buyers. `products`: the number in the question. */
export function amountsMean(products: number): string {
  return `whole orders; alone_total: ${aloneProducts(products)}, if it differs; 0 with via`;
}

/** Why a bundle may have been bought alone although its orders count as shared. */
function unclearNote(bundles: readonly string[]): string | undefined {
  const known = 'not known from these orders: shared ones may be of the bundle alone';
  return bundles.length === 0 ? undefined : `contents of ${firstOf(bundles, 5, ', ')} ${known}`;
}

/** "orders of status failed": what an answer counts that the caller chose; undefined for all that was paid. */
export const statusText = (statuses: readonly unknown[] | undefined) =>
  statuses && `orders of status ${statuses.join(', ')}`;

function unpaidNote(statuses: readonly OrderStatus[]): string | undefined {
  const unpaid = statuses.filter((one) => !paidStatuses.includes(one));
  return unpaid.length === 0 ? undefined : `nobody has paid orders of status ${unpaid.join(' or ')}: they are no sales`;
}

/** The count, or undefined for 0: answers omit rare counts that are 0. */
export const positive = (count: number): number | undefined => (count > 0 ? count : undefined);

/** A name that a person chose, as one line of at most 200 characters. */
export function nameLine(name: string | undefined): string | undefined {
  return name === undefined ? undefined : oneLine(name, 200) || undefined;
}

/** The titles of products: "course 7" to "Watercolour". */
export const titlesOf = (products: readonly { readonly ref: string; readonly title?: string | undefined }[]) =>
  Object.fromEntries(products.map(({ ref, title }) => [ref, nameLine(title) ?? '']));

export function productFacts({ kind, type = kind, id, title }: KnownProduct) {
  return { product_type: oneLine(type, 40), id, title: nameLine(title) };
}

/** `course 7 "Watercolour"`. */
export function productText({ kind, type = kind, id, title }: KnownProduct): string {
  const shown = nameLine(title);
  const ref = `${oneLine(type, 40)} ${id}`;
  return shown === undefined ? ref : `${ref} ${quoted(shown)}`;
}

interface TotalsView {
  readonly include_granted: GrantedOrders;
  /** The sums of the orders of the product alone; undefined if the answer is about no product. */
  readonly alone?: Revenue | undefined;
  /** The number of products in the question; 1 if undefined. */
  readonly products?: number;
  /** The key of the sums of whole orders. */
  readonly sums?: 'revenue' | 'order_total';
  /** How the counts compare with those of a complete answer, such as "at least". */
  readonly bound?: string | undefined;
}

function totalsFacts({ buyers, paying, orders, revenue, ...counts }: Totals, view: TotalsView) {
  const { granted, granted_excluded, shared_orders, unreadable_amounts, refunds, marked } = counts;
  return {
    counts_are: view.bound,
    buyers: view.include_granted ? paying : buyers,
    holders: view.include_granted ? buyers : undefined,
    orders,
    granted: positive(granted),
    granted_excluded,
    shared_orders: positive(shared_orders),
    unreadable_amounts: positive(unreadable_amounts),
    refunds: positive(refunds),
    marked,
    [view.sums ?? 'revenue']: revenue,
    alone_total: view.alone,
  };
}

/** "at least 3 orders"; the count alone if it is exact. */
export const bounded = (count: string, bound: string | undefined) =>
  bound === undefined ? count : `${bound} ${count}`;

type Bounded = Pick<Coverage, 'complete' | 'pages_left'> & { unchecked?: number | undefined };

/**
 * How the counts of an answer compare with those of a complete one; undefined if it is complete. `mayLose`: orders that were not
 * read may also remove rows.
 */
export function boundOf({ complete, pages_left, unchecked = 0 }: Bounded, mayLose = false): string | undefined {
  if (complete) return undefined;
  if (pages_left === undefined && unchecked > 0) return 'at most';
  return mayLose ? 'so far' : 'at least';
}

/** "18 holders (16 buyers)" if orders of amount 0 are counted, "16 buyers" otherwise. */
function peopleText({ buyers, paying }: Totals, { include_granted, bound }: TotalsView): string {
  const holders = `${counted(buyers, 'holder')} (${counted(paying, 'buyer')})`;
  return bounded(include_granted ? holders : counted(buyers, 'buyer'), bound);
}

/** "12.00 EUR, others as order_total": only the sums that differ from those of the whole orders. */
function aloneText(revenue: Revenue, alone: Revenue): string {
  const others = Object.entries(alone).filter(([currency, sum]) => revenue[currency] !== sum);
  const isSame = others.length < Object.keys(alone).length;
  if (others.length === 0 && isSame) return 'the same';
  return `${revenueText(Object.fromEntries(others))}${isSame ? ', others as order_total' : ''}`;
}

function sumsText(revenue: Revenue, { alone, products = 1, sums }: TotalsView): string {
  const hasAlone = alone !== undefined && Object.keys(revenue).length > 0;
  const whole = revenueText(revenue);
  if (sums !== 'order_total') return hasAlone ? `${whole}; alone_total ${revenueText(alone)}` : whole;
  // For any product there is no other sum to confuse it with.
  const total = `order_total ${alone === undefined ? '' : '(whole orders) '}${whole}`;
  return hasAlone ? `${total}; alone_total (${aloneProducts(products)}) ${aloneText(revenue, alone)}` : total;
}

/** "8 orders carry refunded_at, left out (with them 7,927.40 USD)". */
function markedText({ orders, fields, with_them }: Marked): string {
  const named = firstOf(Object.keys(fields), 3, ', ');
  return `${counted(orders, 'order')} ${orders === 1 ? 'carries' : 'carry'} ${named}, left out (with them ${revenueText(with_them)})`;
}

/** "3 orders, 149.70 USD; 1 of amount 0 (granted, free or a coupon) left out; 2 shared with other products, counted whole". */
function totalsText({ orders, granted, revenue, ...unusual }: Totals, view: TotalsView): string {
  const { granted_excluded, shared_orders, unreadable_amounts, refunds, marked } = unusual;
  const ofAmount0 = granted > 0 ? ` (${granted} of amount 0: granted, free or a coupon)` : '';
  // Beside both sums, the note of the answer says it.
  const whole = view.sums === 'order_total' && view.alone !== undefined ? '' : ', counted whole';
  return compact([
    `${bounded(counted(orders, 'order'), view.bound)}${ofAmount0}, ${sumsText(revenue, view)}`,
    granted_excluded > 0 && `${granted_excluded} of amount 0 (granted, free or a coupon) left out`,
    shared_orders > 0 && `${shared_orders} shared with other products${whole}`,
    unreadable_amounts > 0 && `${unreadable_amounts} with an unreadable amount left out`,
    refunds > 0 && `${refunds} with an amount below 0 (refunds) left out`,
    marked && markedText(marked),
  ]).join('; ');
}

export const shownTotals = (totals: Totals, view: TotalsView) => ({
  people: peopleText(totals, view),
  sums: totalsText(totals, view),
  facts: totalsFacts(totals, view),
});

type Asked = Pick<OrderCursor, 'period' | 'isRunning'>;

export const salesPeriodFacts = ({ period, isRunning }: Asked) => ({
  ...periodFacts(period),
  running: isRunning || undefined,
});

export const salesPeriodText = ({ period, isRunning }: Asked) =>
  `${periodText(period)}${isRunning ? ', still running' : ''}`;

/** Rows begin again: while pages are missing, later orders may change any row. */
function replacedNote({ isFurther, at }: OrderCursor): string | undefined {
  return isFurther && at === 0 ? 'this answer replaces the one before' : undefined;
}

/** Two ids with one title, or one id with two titles. */
export function titleNote({ title_conflicts: conflicts = [] }: Pick<Coverage, 'title_conflicts'>): string | undefined {
  return conflicts.length === 0 ? undefined : firstOf(conflicts, 3, '; ');
}

/** Orders dated after now, which a period that ends now counts. */
function futureNote({ orders, question }: Pick<OrderScan, 'orders' | 'question'>): string | undefined {
  const { futureFrom = Number.POSITIVE_INFINITY } = question();
  const later = orders().flatMap(({ at }) => (at !== undefined && at >= futureFrom ? [at] : []));
  if (later.length === 0) return undefined;
  const last = isoTime(later.reduce((one, other) => Math.max(one, other)));
  return `${counted(later.length, 'order')} dated after now (up to ${last}) counted`;
}

export function clockNote({ clockShiftMs }: Pick<ToolContext, 'clockShiftMs'>): string | undefined {
  const shift = clockShiftMs();
  // Smaller differences are no reason to doubt a named period: an order may be made while others are read.
  if (Math.abs(shift) < hourMs) return undefined;
  const hours = Math.round(Math.abs(shift) / hourMs);
  const way = shift > 0 ? 'behind' : 'ahead of';
  return `the clock of this machine is ${counted(hours, 'hour')} ${way} the clock of the API: periods follow the API's`;
}

export function readingNote({ cursor, scan, context }: Pick<AskedOrders, 'cursor' | 'scan' | 'context'>) {
  return noteOf(replacedNote(cursor), futureNote(scan), clockNote(context));
}

/** Why no row is shown: the question, and what there is instead. */
export function emptyNote(found: number, scan: Pick<OrderScan, 'orders' | 'question'>): string | undefined {
  if (found > 0) return undefined;
  const read = scan.orders().length;
  const orders = `orders of status ${scan.question().statuses.join(', ')}`;
  return read === 0
    ? `nothing found: the period has no ${orders}`
    : `nothing found: none of the ${read} ${orders} in the period matches`;
}

/** The notes that the answers about what was sold share. `own`: of the sums, and of orders without a product. */
export function salesNotes(
  { totals, unclear }: Pick<FoundBuyers, 'totals' | 'unclear'>,
  scope: AskedOrders,
  coverage: Coverage,
  own: { readonly sums?: string | false; readonly productless?: string | false } = {},
): string | undefined {
  return noteOf(
    readingNote(scope),
    emptyNote(totals.orders, scope.scan),
    own.sums,
    unclearNote(unclear),
    unpaidNote(scope.scan.question().statuses),
    own.productless,
    titleNote(coverage),
  );
}

type Check = Pick<PeopleCheck, 'unchecked' | 'left' | 'stopped'>;

/** Coverage of an answer for which people are checked one by one. `advice`: what to do if requests ran out. */
export function withUnchecked(read: Coverage, { unchecked, left, stopped }: Check, advice: string) {
  return {
    ...read,
    complete: read.complete && unchecked.size === 0,
    unchecked: positive(unchecked.size),
    ...(left > 0 && { students_left: left, next: advice }),
    stopped: read.stopped ?? stopped,
  };
}

/** "unchecked: 3 buyers may have paid outside the period (next_cursor checks them)". */
export function uncheckedNote({ unchecked, left, stopped }: Check, fact: string): string {
  const why = left > 0 ? 'next_cursor checks more' : (stopped ?? 'the API did not return all of their orders');
  return `unchecked: ${counted(unchecked.size, 'buyer')} may ${fact} (${why})`;
}

export function noteOf(...notes: readonly (string | false | undefined)[]): string | undefined {
  return compact(notes).join('. ') || undefined;
}
