import * as z from 'zod';
import type { OrderStatus } from '../../src/contract/orders.ts';
import { describedOnce, flag, integer } from '../../src/contract/schemas/input-fields.ts';
import { type RowTime, rowTimes } from '../../src/insights/api-time.ts';
import type { Period } from '../../src/insights/period.ts';
import {
  type BuyerQuestion,
  type BuyerSort,
  buyerSorts,
  type FoundBuyer,
  type FoundBuyers,
  type GrantedOrders,
  findBuyers as searchBuyers,
  usualCurrency,
} from '../../src/insights/sales/find-buyers.ts';
import type { KnownProduct } from '../../src/insights/sales/products-in-order.ts';
import { paidStatuses } from '../../src/insights/sales/sold-order.ts';
import { sharedNamesText } from '../../src/insights/students/select-students.ts';
import { listOutput, memberText, showing } from '../../src/mcp/output/output-schemas.ts';
import { counted, field } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import type { Json } from '../../src/shared/json.ts';
import { asValue } from '../../src/shared/quote-text.ts';
import { resolveProduct } from '../../src/workflows/find-product.ts';
import { type CheckedHolders, checkHolders } from '../../src/workflows/sales/check-people.ts';
import { type Coverage, coverageOf } from '../../src/workflows/sales/coverage.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import { type AskedOrders, askOrders } from '../../src/workflows/sales/read-orders.ts';
import { coverageText, firstRow, presentOrders } from './coverage-text.ts';
import { buyerLines, buyerRow, type Columns, columnsOf, type RowView, shownBuyer } from './find-buyers-rows.ts';
import {
  amountsMean,
  boundOf,
  emptyNote,
  nameLine,
  noteOf,
  peopleText,
  productFacts,
  productText,
  readingNote,
  salesOutput,
  salesPeriodFacts,
  salesPeriodText,
  statusText,
  titleNote,
  totalsFacts,
  totalsText,
  uncheckedNote,
  unclearNote,
  unpaidNote,
  withUnchecked,
} from './sales-output.ts';
import * as common from './shared-arguments.ts';

// The totals and the notes of find_buyers.

// The question to find_buyers, as its answer states it.

interface Question {
  /** Empty: any product. */
  products: readonly KnownProduct[];
  match: 'any' | 'all';
  without: readonly KnownProduct[];
  minProducts: number;
  granted: GrantedOrders;
  sort?: BuyerSort | undefined;
}

interface Scope extends AskedOrders {
  question: Question;
  /** The check of `without`, if the orders of the period do not show it. */
  check: CheckedHolders | undefined;
  input: {
    limit?: number | undefined;
    detail?: 'summary' | 'full' | undefined;
    totals_only?: boolean | undefined;
    statuses?: readonly unknown[] | undefined;
  };
}

/** "course 7 "Watercolour" without bundle 2 "Art Year", at least 2 products". */
function questionText({ products, match, without, minProducts }: Question): string {
  const list = (some: readonly KnownProduct[]) => some.map(productText).join(', ');
  const [only, ...others] = products;
  const wanted =
    only === undefined ? 'any product' : others.length === 0 ? productText(only) : `${match} of ${list(products)}`;
  const least = minProducts > 1 ? `, at least ${minProducts} products` : '';
  return `${wanted}${without.length === 0 ? '' : ` without ${list(without)}`}${least}`;
}

const titlesOf = (products: readonly { ref: string; title?: string | undefined }[]) =>
  Object.fromEntries(products.map(({ ref, title }) => [ref, nameLine(title) ?? '']));

function questionFacts({ products, match, without, minProducts }: Question) {
  const [only, ...others] = products;
  return {
    product: only !== undefined && others.length === 0 ? productFacts(only) : undefined,
    products: others.length > 0 ? titlesOf(products) : undefined,
    match: others.length > 0 ? match : undefined,
    without: without.length > 0 ? titlesOf(without) : undefined,
    min_products: minProducts > 1 ? minProducts : undefined,
  };
}

/** The titles of the products that rows name, if the question does not. */
function rowTitles(rows: readonly FoundBuyer[], { products }: Question) {
  const named = products.length > 0 ? [] : rows.flatMap((buyer) => buyer.products);
  return named.length > 0 ? titlesOf(named) : undefined;
}

/** The most people with an order of amount 0 that the first answer names. */
const maxGranted = 2;

/** The people whose orders of amount 0 were left out: "Ana Roy <ana@example.com> 2026-11-02". */
function grantedFacts({ granted }: FoundBuyers, rowTime: RowTime) {
  const named = granted.slice(0, maxGranted).flatMap(({ email, name, created_at }) => {
    const parts = [nameLine(name), email && `<${nameLine(email)}>`, rowTime(created_at)];
    return parts.filter(Boolean).join(' ') || [];
  });
  return {
    granted_to: named.length > 0 ? named : undefined,
    granted_more: granted.length > maxGranted ? granted.length - maxGranted : undefined,
    granted_all: granted.length > maxGranted ? 'granted_only lists all' : undefined,
  };
}

function totalsView({ totals, alone }: FoundBuyers, { question, check }: Scope, bound: string | undefined) {
  const unchecked = check === undefined || check.unchecked.size === 0 ? undefined : check.unchecked.size;
  if (question.granted === 'only') {
    const { orders, buyers: holders } = totals;
    const people = holders === 1 ? '1 person' : `${holders} people`;
    return {
      people: `${bound === undefined ? '' : `${bound} `}${people} with ${counted(orders, 'order')} of amount 0 (granted, free or a coupon)`,
      sums: '',
      facts: { counts_are: bound, holders, unchecked, orders, granted: orders },
    };
  }
  const { granted, products } = question;
  const shown = { include_granted: granted, alone, products: products.length, sums: 'order_total', bound } as const;
  const { counts_are, buyers, ...others } = totalsFacts(totals, shown);
  const atMost = unchecked === undefined ? '' : `, ${unchecked} of them unchecked,`;
  return {
    people: `${peopleText(totals, shown)}${atMost}`,
    sums: `: ${totalsText(totals, shown)}`,
    facts: { ...{ counts_are, buyers, unchecked }, ...others },
  };
}

function withoutNotes(check: CheckedHolders | undefined, isUnread: boolean): string[] {
  if (isUnread) return ['without: only orders of the pages read were checked, so the number will fall'];
  if (check === undefined) return [];
  return [
    `without: all orders of ${counted(check.checked, 'buyer')} were checked, also outside the period`,
    ...(check.unchecked.size > 0 ? [uncheckedNote(check, 'hold it by an order outside the period')] : []),
  ];
}

function notesOf(
  { buyers, totals, unclear }: FoundBuyers,
  page: readonly FoundBuyer[],
  scope: Scope,
  coverage: Coverage,
): string | undefined {
  const { question, scan, check } = scope;
  const { products, without } = question;
  const { statuses } = scan.question();
  const isUnread = coverage.pages_left !== undefined;
  const isRanked = question.sort === 'products' || question.sort === 'amount';
  return noteOf(
    readingNote(scope),
    emptyNote(totals.orders, scan.orders().length, statuses),
    unclearNote(unclear),
    unpaidNote(statuses),
    titleNote(coverage),
    question.sort === 'amount' ? sortNote(buyers) : undefined,
    isRanked && isUnread ? 'orders that are not read yet can change who comes first' : undefined,
    ...withoutNotes(check, without.length > 0 && isUnread),
    sharedNamesText(page),
    buyers.some(({ hasPaid }) => hasPaid) ? 'also_paid: for what was asked, in this period' : undefined,
    products.length === 0 && buyers.length > 0 ? 'a bundle is one product, without its contents' : undefined,
  );
}

/** Sums of several currencies cannot be compared. */
function sortNote(buyers: readonly FoundBuyer[]): string | undefined {
  const currency = usualCurrency(buyers);
  const isOnly = buyers.every(({ revenue }) => Object.keys(revenue).every((one) => one === currency));
  return isOnly || currency === undefined
    ? undefined
    : `sorted by the sum in ${asValue(currency)}; buyers without one come last`;
}

/** The answer with the next buyers. If more remain, it has a cursor for them. */
function presentBuyers(found: FoundBuyers, scope: Scope): Presented {
  const { question, cursor, scan, check, input, context } = scope;
  const { limit = 50, detail, totals_only = false, statuses } = input;
  const { buyers } = found;
  const [only, ...others] = question.products;
  const read = coverageOf(scan, context, {
    product: others.length === 0 ? only : undefined,
    refs: question.products.map(({ ref }) => ref),
    people: check?.sources,
  });
  const coverage = check === undefined ? read : withUnchecked(read, check, scan.advice);
  const start = firstRow(coverage, cursor);
  const view: RowView = {
    isFull: detail === 'full',
    isGrantedOnly: question.granted === 'only',
    hasProducts: only === undefined || others.length > 0,
    unchecked: check?.unchecked ?? new Set(),
    currency: usualCurrency(buyers),
    rowTime: rowTimes(cursor.period.timezone, cursor.period),
  };
  const columns = columnsOf(buyers, view);
  const page = totals_only ? [] : buyers.slice(start, start + limit);
  const rows = page.map((buyer) => shownBuyer(buyer, view));
  const bound = boundOf(coverage, {
    isAllRead: read.pages_left === undefined,
    unchecked: check?.unchecked.size,
    mayLose: question.without.length > 0,
  });
  const { people, sums, facts } = totalsView(found, scope, bound);
  const by = statuses === undefined ? '' : `, by ${statusText(statuses)},`;
  const of = `${people} of ${questionText(question)}${by} ${salesPeriodText(cursor)}`;
  const hasSums = buyers.length > 0 && !view.isGrantedOnly;
  const answer = (count: number) => ({
    summary: `${of}${sums}.${shownText(start, count, buyers.length)}`,
    data: {
      ...questionFacts(question),
      period: salesPeriodFacts(cursor),
      statuses,
      totals: facts,
      amounts: question.products.length > 0 && hasSums ? amountsMean(question.products.length) : undefined,
      note: notesOf(found, page.slice(0, count), scope, read),
      currency: count > 0 && hasSums ? columns.currency : undefined,
      buyers: rows.slice(0, count),
      titles: rowTitles(page.slice(0, count), question),
      ...(totals_only || start > 0 ? {} : grantedFacts(found, view.rowTime)),
    },
  });
  const total = totals_only ? 0 : buyers.length;
  const body = (data: Json) => outlineOf(data, coverage, columns, cursor.period);
  const short = { list: 'buyers', usual: ['amount'] };
  return { ...presentOrders(answer, coverage, { rows: rows.length, start, total }, scope), body, short };
}

// The text form of find_buyers.

function grantedLines(names: unknown, more: unknown, all: unknown): string[] {
  if (!Array.isArray(names)) return [];
  const [line = ''] = field('granted_to', names);
  return [typeof more === 'number' ? `${line}, ${more} more: ${all}` : line];
}

/** Omits question, period, totals and their meaning, which the first line shows. */
function outlineOf(
  { cut, statuses, note, titles, granted_to, granted_more, granted_all, buyers, next_cursor }: Json,
  coverage: Coverage,
  columns: Columns,
  period: Period,
): string[] {
  const line = (name: string, value: unknown) => (value === undefined ? [] : field(name, value));
  return [
    ...line('cut', cut),
    ...line('statuses', statuses),
    ...line('note', note),
    ...buyerLines(Array.isArray(buyers) ? buyers : [], columns),
    ...line('titles', titles),
    ...grantedLines(granted_to, granted_more, granted_all),
    coverageText(coverage, period),
    ...line('next_cursor', next_cursor),
  ];
}

function shownText(start: number, count: number, total: number): string {
  if (count === 0 || count >= total) return '';
  return ` Shown: ${count === 1 ? start + 1 : `${start + 1} to ${start + count}`}.`;
}

const maxProducts = 10;

/** Whether the orders of these statuses are all that a product can be held by. */
const hasAllPaid = (statuses: readonly OrderStatus[]) => paidStatuses.every((one) => statuses.includes(one));

export const findBuyers = defineTool({
  name: 'find_buyers',
  toolset: 'insights',
  title: 'Find the buyers of products',
  description:
    'Lists the people who bought (paid for, purchased, got) a course or product: one of several, both, or one and not another; names, emails, once each, sums; amount 0 (granted, free) separately. Sums: sales_report.',
  ui: { resourceUri: 'ui://academy/buyers.html' },
  cost: {
    requests: 1,
    per: 'page of 100 orders',
    plus: [
      { requests: 1, per: 'product' },
      { requests: [0, 2], when: 'per buyer for without' },
    ],
  },
  example: { product: 'photography', period: 'last_week' },
  effect: 'read',
  alwaysLoad: true,
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({
    product: common.product.optional(),
    products: common.products(maxProducts, 'Instead of product').optional(),
    match: z.enum(['any', 'all']).describe('Default any').optional(),
    without: common.products(maxProducts, 'Leaves out who holds one of these').optional(),
    min_products: describedOnce(integer(1, 50, '2: two or more')).optional(),
    product_type: common.productType,
    ...common.periodArguments,
    include_granted: common.includeGranted,
    granted_only: flag('Only these').optional(),
    statuses: common.statuses,
    sort: z.enum(buyerSorts).describe('Default newest').optional(),
    totals_only: describedOnce(flag('Omits the rows')).optional(),
    detail: z.enum(['summary', 'full']).describe('full: order ids').optional(),
    limit: common.limit(50),
    cursor: common.cursor,
    max_requests: common.maxRequests,
  }),
  output: showing(listOutput('buyers', buyerRow, salesOutput), z.object({ granted_to: memberText() })),
  check: ({ product, products, match }) => {
    if (product !== undefined && products !== undefined) throw refuseInput(['give either product or products']);
    if (match !== undefined && products === undefined) throw refuseInput(['match needs products']);
  },
  run: async (input, context) => {
    const { product, product_type, match = 'any', include_granted = false, min_products: minProducts = 1 } = input;
    const { granted_only = false, sort } = input;
    const granted = granted_only ? 'only' : include_granted;
    const { products = product === undefined ? [] : [product], without = [] } = input;
    const statuses = common.statusesOf(input.statuses);
    const conditions = { match, minProducts, includeGranted: granted, sort } as const;
    const isPlain = input.products === undefined && without.length === 0 && minProducts === 1;
    const conditionWords = isPlain ? [] : [input.products, match, without, minProducts];
    const words = [...conditionWords, ...(granted_only ? ['granted'] : []), ...(sort === undefined ? [] : [sort])];
    const cursorScope = ['find_buyers', product, product_type, include_granted, statuses, ...words] as const;
    const questions = [...products, ...without].map((one) => ({ product: one, product_type }));
    const find = (cursor: OrderCursor) => Promise.all(questions.map((one) => resolveProduct(one, cursor, context)));
    const { found: all, maxRequests, ...asked } = await askOrders(input, { cursorScope, statuses, find }, context);
    const [wanted, unwanted] = [all.slice(0, products.length), all.slice(products.length)];
    const { scan, cursor } = asked;
    const { period } = cursor;
    const refs = (some: typeof all) => some.map(({ ref }) => ref);
    const query: BuyerQuestion = { products: refs(wanted), without: refs(unwanted), ...conditions };
    const question = { products: wanted, without: unwanted, match, minProducts, granted, sort } as const;
    const found = searchBuyers(scan.orders(), query);
    const isEveryOrder = period.from === undefined && scan.question().futureFrom !== undefined && hasAllPaid(statuses);
    const isRead = scan.scanned().pagesLeft === 0;
    const key = JSON.stringify([period, cursorScope]);
    const check =
      without.length > 0 && isRead && !isEveryOrder
        ? await checkHolders(found.buyers, query.without, key, maxRequests, context)
        : undefined;
    scan.keep();
    const scope = { ...asked, question, check, input };
    return presentBuyers(
      check === undefined ? found : searchBuyers(scan.orders(), { ...query, holders: check.holders }),
      scope,
    );
  },
});
