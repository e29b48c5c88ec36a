import * as z from 'zod';
import { describedOnce, flag, integer } from '../../src/contract/schemas/input-fields.ts';
import { type RowTime, rowTimes } from '../../src/insights/api-time.ts';
import { sourceText } from '../../src/insights/freshness.ts';
import {
  type BuyerQuestion,
  buyerSorts,
  type FoundBuyer,
  type FoundBuyers,
  findBuyers as searchBuyers,
  usualCurrency,
} from '../../src/insights/sales/find-buyers.ts';
import type { KnownProduct } from '../../src/insights/sales/products-in-order.ts';
import { paidStatuses } from '../../src/insights/sales/sold-order.ts';
import { sharedNamesText } from '../../src/insights/students/select-students.ts';
import { listOutput, memberText, showing } from '../../src/mcp/output/output-schemas.ts';
import { bodyWith, counted, field } from '../../src/mcp/output/text-format.ts';
import { defineTool, type Presented } from '../../src/mcp/tool.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { asValue } from '../../src/shared/quote-text.ts';
import { resolveProduct } from '../../src/workflows/find-product.ts';
import { type CheckedHolders, checkHolders } from '../../src/workflows/sales/check-people.ts';
import { type Coverage, coverageOf } from '../../src/workflows/sales/coverage.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import { type AskedOrders, askOrders } from '../../src/workflows/sales/read-orders.ts';
import { presentOrders } from './coverage-text.ts';
import { buyerLines, buyerRow, columnsOf, type RowView, shownBuyer } from './find-buyers-rows.ts';
import * as shared from './sales-output.ts';
import * as common from './shared-arguments.ts';

const maxProducts = 10;

const input = z.strictObject({
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
});

/** The question, as its answer states it. Without products it is about any product. */
interface Question extends Pick<BuyerQuestion, 'match' | 'minProducts' | 'includeGranted' | 'sort'> {
  readonly products: readonly KnownProduct[];
  readonly without: readonly KnownProduct[];
}

interface Scope extends AskedOrders {
  question: Question;
  /** The check of `without`, if the orders of the period do not show it. */
  check: CheckedHolders | undefined;
  input: z.output<typeof input>;
}

/** "course 7 "Watercolour" without bundle 2 "Art Year", at least 2 products". */
function questionText({ products, match, without, minProducts }: Question): string {
  const list = (some: readonly KnownProduct[]) => some.map(shared.productText).join(', ');
  const wanted = products.length > 1 ? `${match} of ${list(products)}` : list(products) || 'any product';
  const least = minProducts > 1 ? `, at least ${minProducts} products` : '';
  return `${wanted}${without.length === 0 ? '' : ` without ${list(without)}`}${least}`;
}

function questionFacts({ products, match, without, minProducts }: Question) {
  const [only, ...others] = products;
  return {
    product: only && others.length === 0 ? shared.productFacts(only) : undefined,
    products: others.length > 0 ? shared.titlesOf(products) : undefined,
    match: others.length > 0 ? match : undefined,
    without: without.length > 0 ? shared.titlesOf(without) : undefined,
    min_products: minProducts > 1 ? minProducts : undefined,
  };
}

/** The titles of the products that rows name, if the question does not. */
function rowTitles(rows: readonly FoundBuyer[], { products }: Question) {
  const named = products.length > 0 ? [] : rows.flatMap((buyer) => buyer.products);
  return named.length > 0 ? shared.titlesOf(named) : undefined;
}

/** The most people with an order of amount 0 that the first answer names. */
const maxGranted = 2;

/** The people whose orders of amount 0 were left out: "Ana Roy <ana@example.com> 2026-11-02". */
function grantedFacts({ granted }: FoundBuyers, rowTime: RowTime) {
  const named = granted.slice(0, maxGranted).flatMap(({ email, name, created_at }) => {
    const parts = [shared.nameLine(name), email && `<${shared.nameLine(email)}>`, rowTime(created_at)];
    return parts.filter(Boolean).join(' ') || [];
  });
  const granted_more = shared.positive(granted.length - maxGranted);
  const granted_to = named.length > 0 ? named : undefined;
  return { granted_to, granted_more, granted_all: granted_more && 'granted_only lists all' };
}

function totalsOf({ totals, alone }: FoundBuyers, { question, check }: Scope, bound: string | undefined) {
  const { includeGranted: include_granted, products } = question;
  const unchecked = check?.unchecked.size || undefined;
  if (include_granted === 'only') {
    const { orders, buyers: holders } = totals;
    const people = shared.bounded(holders === 1 ? '1 person' : `${holders} people`, bound);
    return {
      people: `${people} with ${counted(orders, 'order')} of amount 0 (granted, free or a coupon)`,
      sums: '',
      facts: { counts_are: bound, holders, unchecked, orders, granted: orders },
    };
  }
  const view = { include_granted, alone, products: products.length, sums: 'order_total', bound } as const;
  const { people, sums, facts } = shared.shownTotals(totals, view);
  const { counts_are, buyers, ...others } = facts;
  return {
    people: unchecked === undefined ? people : `${people}, ${unchecked} of them unchecked,`,
    sums: `: ${sums}`,
    facts: { counts_are, buyers, unchecked, ...others },
  };
}

function withoutNote({ question: { without }, check }: Scope, isUnread: boolean): string | undefined {
  if (without.length > 0 && isUnread)
    return 'without: only orders of the pages read were checked, so the number will fall';
  if (check === undefined) return undefined;
  return shared.noteOf(
    `without: all orders of ${counted(check.checked, 'buyer')} were checked, also outside the period`,
    check.unchecked.size > 0 && shared.uncheckedNote(check, 'hold it by an order outside the period'),
  );
}

function notesOf(
  found: FoundBuyers,
  page: readonly FoundBuyer[],
  scope: Scope,
  coverage: Coverage,
): string | undefined {
  const { buyers } = found;
  const { products, sort } = scope.question;
  const isUnread = coverage.pages_left !== undefined;
  return shared.noteOf(
    shared.salesNotes(found, scope, coverage),
    sort === 'amount' && sortNote(buyers),
    sort !== undefined && isUnread && 'orders that are not read yet can change who comes first',
    withoutNote(scope, isUnread),
    sharedNamesText(page),
    buyers.some(({ hasPaid }) => hasPaid) && 'also_paid: for what was asked, in this period',
    products.length === 0 && buyers.length > 0 && 'a bundle is one product, without its contents',
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

function presentBuyers(found: FoundBuyers, scope: Scope): Presented {
  const { question, cursor, scan, check, input, context } = scope;
  const { limit = 50, detail, totals_only = false, statuses } = input;
  const { buyers } = found;
  const { products } = question;
  const read = coverageOf(scan, context, {
    product: products.length === 1 ? products[0] : undefined,
    refs: products.map(({ ref }) => ref),
    people: check?.sources,
  });
  const coverage = check === undefined ? read : shared.withUnchecked(read, check, scan.advice);
  const view: RowView = {
    isFull: detail === 'full',
    isGrantedOnly: question.includeGranted === 'only',
    hasProducts: products.length !== 1,
    unchecked: check?.unchecked ?? new Set(),
    currency: usualCurrency(buyers),
    rowTime: rowTimes(cursor.period.timezone, cursor.period),
  };
  const columns = columnsOf(buyers, view);
  const bound = shared.boundOf(coverage, question.without.length > 0);
  const { people, sums, facts } = totalsOf(found, scope, bound);
  const by = statuses === undefined ? '' : `, by ${shared.statusText(statuses)},`;
  const of = `${people} of ${questionText(question)}${by} ${shared.salesPeriodText(cursor)}`;
  const hasSums = buyers.length > 0 && !view.isGrantedOnly;
  const listed = totals_only ? [] : buyers;
  const answer = (start: number, end: number) => {
    const page = listed.slice(start, end);
    return {
      summary: `${of}${sums}.${shownText(start, page.length, buyers.length)}`,
      data: {
        ...questionFacts(question),
        period: shared.salesPeriodFacts(cursor),
        statuses,
        totals: facts,
        amounts: products.length > 0 && hasSums ? shared.amountsMean(products.length) : undefined,
        note: notesOf(found, page, scope, read),
        currency: page.length > 0 && hasSums ? view.currency : undefined,
        buyers: page.map((buyer) => shownBuyer(buyer, view)),
        titles: rowTitles(page, question),
        ...(totals_only || start > 0 ? {} : granted),
      },
    };
  };
  const granted = grantedFacts(found, view.rowTime);
  const more = granted.granted_more === undefined ? '' : `, ${granted.granted_more} more: ${granted.granted_all}`;
  const first = ['period', 'totals', 'amounts', 'currency', 'granted_more', 'granted_all'];
  const own = {
    buyers: (rows: unknown) => buyerLines(Array.isArray(rows) ? rows : [], columns),
    coverage: (read: unknown) => (coverage.complete ? [completeText(coverage)] : field('coverage', read)),
    granted_to: (names: unknown) => field('granted_to', names).map((line) => `${line}${more}`),
  };
  const body = bodyWith(own, [...Object.keys(questionFacts(question)), ...first]);
  const short = { list: 'buyers', usual: ['amount'] };
  return { ...presentOrders(answer, coverage, { lengths: listed.length, limit }, scope), body, short };
}

/** "Complete: 705 orders, 9 requests, as of 2026-11-21T07:19:42Z.": shorter than the field. */
const completeText = ({ orders_scanned, requests_spent, ...times }: Coverage) =>
  `Complete: ${orders_scanned} orders, ${requests_spent} requests, ${sourceText(times)}.`;

function shownText(start: number, count: number, total: number): string {
  if (count === 0 || count >= total) return '';
  return ` Shown: ${count === 1 ? start + 1 : `${start + 1} to ${start + count}`}.`;
}

export const findBuyers = defineTool({
  name: 'find_buyers',
  toolset: 'insights',
  title: 'Find the buyers of products',
  description:
    'Lists the people who bought (paid for, purchased, got) a course or product: one of several, both, or one and not another; names, emails, once each, sums; amount 0 (granted, free) separately. Sums: sales_report.',
  ui: { resourceUri: 'ui://academy/buyers.html' },
  cost: { 'per page of 100 orders': 1, 'per product': 1, 'per buyer for without': [0, 2] },
  example: { product: 'photography', period: 'last_week' },
  effect: 'read',
  alwaysLoad: true,
  carriesUserContent: true,
  input,
  output: showing(listOutput('buyers', buyerRow, shared.salesOutput), z.object({ granted_to: memberText() })),
  check: ({ product, products, match }) => {
    if (product !== undefined && products !== undefined) throw refuseInput(['give either product or products']);
    if (match !== undefined && products === undefined) throw refuseInput(['match needs products']);
  },
  run: async (input, context) => {
    const { product, product_type, match = 'any', include_granted = false, min_products: minProducts = 1 } = input;
    const { granted_only = false, sort, without = [] } = input;
    const { products = product === undefined ? [] : [product] } = input;
    const statuses = common.statusesOf(input.statuses);
    const conditions = { match, minProducts, includeGranted: granted_only ? 'only' : include_granted, sort } as const;
    const isPlain = input.products === undefined && without.length === 0 && minProducts === 1;
    const conditionWords = isPlain ? [] : [input.products, match, without, minProducts];
    const words = [...conditionWords, ...(granted_only ? ['granted'] : []), ...(sort === undefined ? [] : [sort])];
    const cursorScope = ['find_buyers', product, product_type, include_granted, statuses, ...words] as const;
    const questions = [...products, ...without].map((one) => ({ product: one, product_type }));
    const find = (cursor: OrderCursor) => Promise.all(questions.map((one) => resolveProduct(one, cursor, context)));
    const { found: all, maxRequests, ...reading } = await askOrders(input, { cursorScope, statuses, find }, context);
    const question: Question = {
      products: all.slice(0, products.length),
      without: all.slice(products.length),
      ...conditions,
    };
    const { scan, cursor } = reading;
    const refs = (some: readonly KnownProduct[]) => some.map(({ ref }) => ref);
    const query: BuyerQuestion = { ...conditions, products: refs(question.products), without: refs(question.without) };
    const found = searchBuyers(scan.orders(), query);
    const isAllTime = cursor.period.from === undefined && scan.question().futureFrom !== undefined;
    // Otherwise somebody may hold a product by a paid order that was not read.
    const isEveryOrder = isAllTime && paidStatuses.every((one) => statuses.includes(one));
    const isRead = scan.scanned().pagesLeft === 0;
    const key = JSON.stringify([cursor.period, cursorScope]);
    const check =
      without.length > 0 && isRead && !isEveryOrder
        ? await checkHolders(found.buyers, query.without, key, maxRequests, context)
        : undefined;
    scan.keep();
    const kept = check === undefined ? found : searchBuyers(scan.orders(), { ...query, holders: check.holders });
    return presentBuyers(kept, { ...reading, question, check, input });
  },
});
