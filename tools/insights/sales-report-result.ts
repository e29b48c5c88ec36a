import type { KnownProduct } from '../../src/insights/sales/product-ref.ts';
import type { Sales, SortKey } from '../../src/insights/sales/sales-report.ts';
import { byMembersKey } from '../../src/mcp/output/fence-free-text.ts';
import type { Presented, ToolContext } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import { type Coverage, coverageOf } from '../../src/workflows/sales/coverage.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import type { ReadOrders } from '../../src/workflows/sales/read-orders.ts';
import { definedFields, withCut } from '../record-result.ts';
import { coverageFirst, firstRow, incompleteText, isAllRead, nextCursor } from './coverage-text.ts';
import {
  boundOf,
  clockNote,
  emptyNote,
  futureNote,
  nameLine,
  noteOf,
  peopleText,
  productFacts,
  productlessNote,
  productText,
  productTotalNote,
  replacedNote,
  salesPeriodFacts,
  salesPeriodText,
  titleNote,
  totalNote,
  totalsFacts,
  totalsText,
} from './sales-output.ts';
import { body, filled, isOfProduct, type Row, type RowView, shownGroup, tablesOf } from './sales-report-rows.ts';

interface Scope extends RowView {
  /** Whether the call gives `group_by`. */
  isGrouped: boolean;
  sort: SortKey | undefined;
  statuses: readonly string[] | undefined;
  product_type: string | undefined;
  cursor: OrderCursor;
  product: KnownProduct | undefined;
  scan: ReadOrders;
  cursorScope: CursorScope;
  context: ToolContext;
  /** Sentences about the listed products. */
  note: string | undefined;
}

/** The most products or countries in the first part of an answer; the next part has all others. */
const firstGroups = 10;

/** A question about one product is not about those in the same orders, unless it asks for groups. */
const leastGroups = 1;

/** The number of groups in this part of the answer. */
function groupsShown({ length }: readonly Row[], start: number, scope: Scope): number {
  const { group_by, isGrouped, product, detail } = scope;
  const isRanked = group_by === 'product' || group_by === 'country';
  if (!isRanked || start > 0 || detail === 'full') return length - start;
  return Math.min(length, product === undefined || isGrouped ? firstGroups : leastGroups);
}

function sumsNote({ groups, totals }: Sales, scope: Scope): string | undefined {
  if (totals.orders === 0 || !isOfProduct(scope)) return undefined;
  return groups.some(({ alone }) => alone !== undefined) ? totalNote : productTotalNote;
}

function notesOf(sales: Sales, scope: Scope, coverage: Coverage): string | undefined {
  const { groups, totals, currency } = sales;
  const { cursor, scan, sort, note } = scope;
  const { statuses } = scan.question();
  return noteOf(
    replacedNote(cursor),
    emptyNote(totals.orders, scan.orders().length, statuses),
    futureNote(scan),
    clockNote(scope.context),
    sumsNote(sales, scope),
    productlessNote(sales.productless),
    titleNote(coverage),
    sort === 'revenue' && currency !== '' ? `sorted by the sums in ${currency}` : undefined,
    groups.some(({ isPartial }) => isPartial) ? 'partial: the period begins or ends within it' : undefined,
    note,
  );
}

function ofText({ product, product_type }: Scope): string {
  if (product !== undefined) return ` of ${productText(product)}`;
  return product_type === undefined ? '' : ` of type ${product_type}`;
}

/** " Shown: 1 to 10 of 28 groups; next_cursor has the others." The others of a question about one product are not its own. */
function shownText(start: number, end: number, { length }: readonly Row[], isRead: boolean, isOne: boolean): string {
  if (end - start >= length) return '';
  const others =
    isRead && end < length ? `next_cursor has the ${isOne ? 'products of the same orders' : 'others'}` : '';
  if (isOne && start === 0 && end === 1) return others === '' ? '' : ` Shown: this product; ${others}.`;
  return ` Shown: ${start + 1} to ${end} of ${length} groups${others === '' ? '' : `; ${others}`}.`;
}

const unsoldFacts = ({ unsold }: Sales) =>
  unsold.length === 0 ? undefined : Object.fromEntries(unsold.map(({ ref, title }) => [ref, nameLine(title) ?? '']));

/** The answer with the next groups. If more remain, it has a cursor for them. */
export function presentSales(sales: Sales, scope: Scope): Presented {
  const { group_by, product, product_type, cursor, scan, cursorScope, context, include_granted, statuses } = scope;
  const { totals, alone, byCurrency } = sales;
  const coverage = coverageOf(scan, context, { product });
  const isRead = isAllRead(coverage);
  const start = firstRow(coverage, cursor);
  const all = sales.groups.map((group) => shownGroup(group, scope));
  const rows = all.slice(start, start + groupsShown(all, start, scope));
  const bound = boundOf(coverage, { isAllRead: isRead });
  const view = { include_granted, alone, bound };
  const summary = `${incompleteText(coverage)}Sales${ofText(scope)} ${salesPeriodText(cursor)}: ${peopleText(totals, view)}, ${totalsText(totals, view)}.`;
  const cursorAt = (end: number) =>
    nextCursor(
      coverage,
      { ...cursor, products: product && [product] },
      cursorScope,
      { end, total: all.length },
      context,
    );
  const answer = (count: number) => ({
    summary: summary + shownText(start, start + count, all, isRead, product !== undefined && !scope.isGrouped),
    data: coverageFirst(
      definedFields({
        product: product && productFacts(product),
        product_type: product === undefined ? product_type : undefined,
        period: salesPeriodFacts(cursor),
        statuses,
        totals: definedFields({
          ...totalsFacts(totals, view),
          average: filled(byCurrency.average),
          buyers_by_currency: byCurrency.buyers,
        }),
        note: notesOf(sales, scope, coverage),
        group_by,
        groups_total: count < all.length ? all.length : undefined,
        groups: count > 0 ? rows.slice(0, count) : undefined,
        unsold: start === 0 ? unsoldFacts(sales) : undefined,
        coverage,
        next_cursor: cursorAt(start + count),
        // Buyers write the country of their billing address.
        [byMembersKey]: group_by === 'country' && count > 0 ? ['key'] : undefined,
      }),
      coverage,
    ),
  });
  return {
    ...withCut(answer, rows.length, 'go on with next_cursor'),
    tables: tablesOf(all, isRead),
    body,
  };
}
