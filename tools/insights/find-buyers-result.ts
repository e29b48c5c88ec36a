import { rowTimes } from '../../src/insights/row-time.ts';
import type { FoundBuyer, FoundBuyers } from '../../src/insights/sales/find-buyers.ts';
import type { KnownProduct } from '../../src/insights/sales/product-match.ts';
import { counted, field } from '../../src/mcp/output/text-format.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import type { Json } from '../../src/shared/json.ts';
import type { CheckedHolders } from '../../src/workflows/sales/check-holders.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import {
  type Coverage,
  coverageOf,
  coverageText,
  firstRow,
  incompleteText,
  isAllRead,
  nextCursor,
  type ResumableScan,
} from '../../src/workflows/sales/resumable-scan.ts';
import { withCut } from '../cut-answer.ts';
import { definedFields } from '../defined-fields.ts';
import { buyerLines, type Columns, columnsOf, type RowView, rowOf, usualCurrency } from './find-buyers-rows.ts';
import {
  emptyNote,
  nameLine,
  noteOf,
  peopleText,
  productFacts,
  productText,
  replacedNote,
  rowTotalNote,
  salesPeriodFacts,
  salesPeriodText,
  totalsFacts,
  totalsText,
  uncheckedNote,
  withUnchecked,
} from './sales-output.ts';

interface Question {
  /** Empty: any product. */
  products: readonly KnownProduct[];
  match: 'any' | 'all';
  without: readonly KnownProduct[];
  minProducts: number;
  include_granted: boolean;
}

interface Scope {
  place: OrderCursor;
  question: Question;
  scan: ResumableScan;
  /** The check of `without`, if the orders of the period do not show it. */
  check: CheckedHolders | undefined;
  asked: CursorScope;
  input: {
    limit?: number | undefined;
    detail?: 'summary' | 'full' | undefined;
    totals_only?: boolean | undefined;
    statuses?: readonly unknown[] | undefined;
  };
  context: ToolContext;
}

/** The most people with an order of amount 0 whom the first answer names. */
const maxGranted = 10;

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
  return definedFields({
    product: only !== undefined && others.length === 0 ? productFacts(only) : undefined,
    products: others.length > 0 ? titlesOf(products) : undefined,
    match: others.length > 0 ? match : undefined,
    without: without.length > 0 ? titlesOf(without) : undefined,
    min_products: minProducts > 1 ? minProducts : undefined,
  });
}

/** The people whose orders of amount 0 were left out: email to name, which is empty if unknown. */
function grantedFacts({ granted }: FoundBuyers) {
  const named = granted.slice(0, maxGranted).flatMap(({ email, name }) => {
    const key = nameLine(email);
    return key === undefined ? [] : [[key, nameLine(name) ?? '']];
  });
  return definedFields({
    granted_to: named.length > 0 ? Object.fromEntries(named) : undefined,
    granted_more: granted.length > maxGranted ? granted.length - maxGranted : undefined,
  });
}

/** What was checked about the products that a buyer should not hold. */
function withoutNotes(check: CheckedHolders | undefined, isUnread: boolean): string[] {
  if (isUnread) return ['without: so far only orders of the pages read were checked'];
  if (check === undefined) return [];
  return [
    `without: all orders of ${counted(check.checked, 'buyer')} were checked, also outside the period`,
    ...(check.unchecked.size > 0 ? [uncheckedNote(check, 'hold it by an order outside the period')] : []),
  ];
}

function notesOf(
  { buyers, totals }: FoundBuyers,
  { place, question, scan, check, context }: Scope,
): string | undefined {
  const { products, without } = question;
  const { statuses } = scan.question();
  return noteOf(
    replacedNote(place),
    emptyNote(totals.orders, scan.orders().length, statuses),
    products.length > 0 && buyers.length > 0 ? rowTotalNote : undefined,
    ...withoutNotes(check, without.length > 0 && !isAllRead(coverageOf(scan, context))),
    products.length === 0 && buyers.length > 0 ? 'a bundle is one product, without its contents' : undefined,
  );
}

/** The titles of the products that rows name, if the question does not. */
function rowTitles(rows: readonly FoundBuyer[], { products }: Question) {
  const named = products.length > 0 ? [] : rows.flatMap((buyer) => buyer.products);
  return named.length > 0 ? titlesOf(named) : undefined;
}

/** Omits question, period and totals, which the first line shows. */
function outlineOf(
  { cut, statuses, note, titles, granted_to, granted_more, buyers, next_cursor }: Json,
  coverage: Coverage,
  columns: Columns,
): string[] {
  const line = (name: string, value: unknown) => (value === undefined ? [] : field(name, value));
  return [
    ...line('cut', cut),
    ...line('statuses', statuses),
    ...line('note', note),
    ...buyerLines(Array.isArray(buyers) ? buyers : [], columns),
    ...line('titles', titles),
    ...line('granted_to', granted_to),
    ...line('granted_more', granted_more),
    coverageText(coverage),
    ...line('next_cursor', next_cursor),
  ];
}

function shownText(start: number, count: number, total: number): string {
  if (count === 0 || count >= total) return '';
  return ` Shown: ${count === 1 ? start + 1 : `${start + 1} to ${start + count}`}.`;
}

/** The answer with the next buyers. If more remain, it has a cursor for them. */
export function presentBuyers(found: FoundBuyers, scope: Scope): Presented {
  const { question, place, scan, check, asked, input, context } = scope;
  const { limit = 50, detail, totals_only = false, statuses } = input;
  const { buyers, totals, alone } = found;
  const [only, ...others] = question.products;
  const read = coverageOf(scan, context, others.length === 0 ? only : undefined);
  const coverage = check === undefined ? read : withUnchecked(read, check);
  const start = firstRow(coverage, place);
  const view: RowView = {
    isFull: detail === 'full',
    hasProducts: only === undefined || others.length > 0,
    unchecked: check?.unchecked ?? new Set(),
    currency: usualCurrency(buyers),
    rowTime: rowTimes(place.period.timezone, place.period),
  };
  const columns = columnsOf(buyers, view);
  const page = totals_only ? [] : buyers.slice(start, start + limit);
  const rows = page.map((buyer) => rowOf(buyer, view));
  const shown = { include_granted: question.include_granted, alone, sums: 'order_total' } as const;
  const of = `${peopleText(totals, shown)} of ${questionText(question)} ${salesPeriodText(place)}`;
  const summary = `${incompleteText(coverage)}${of}: ${totalsText(totals, shown)}.`;
  const total = totals_only ? 0 : buyers.length;
  const cursorOf = (end: number) => nextCursor(coverage, place, asked, { end, total }, context);
  const answer = (count: number) => ({
    summary: summary + shownText(start, count, buyers.length),
    data: definedFields({
      ...questionFacts(question),
      period: salesPeriodFacts(place),
      statuses,
      totals: totalsFacts(totals, shown),
      note: notesOf(found, scope),
      currency: count > 0 ? columns.currency : undefined,
      buyers: count > 0 ? rows.slice(0, count) : undefined,
      titles: rowTitles(page.slice(0, count), question),
      ...(totals_only || start > 0 ? {} : grantedFacts(found)),
      coverage,
      next_cursor: cursorOf(start + count),
    }),
  });
  const body = (data: Json) => outlineOf(data, coverage, columns);
  return { ...withCut(answer, rows.length, 'go on with next_cursor'), body };
}
