import type { BuyerSort, FoundBuyer, GrantedOrders } from '../../src/insights/sales/find-buyers.ts';
import type { KnownProduct } from '../../src/insights/sales/product-ref.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import type { CursorScope } from '../../src/shared/cursor.ts';
import type { CheckedHolders } from '../../src/workflows/sales/check-people.ts';
import type { OrderCursor } from '../../src/workflows/sales/order-cursor.ts';
import type { ReadOrders } from '../../src/workflows/sales/read-orders.ts';
import { definedFields } from '../defined-fields.ts';
import { nameLine, productFacts, productText } from './sales-output.ts';

// What was asked of find_buyers, as its answer states it.

export interface Question {
  /** Empty: any product. */
  products: readonly KnownProduct[];
  match: 'any' | 'all';
  without: readonly KnownProduct[];
  minProducts: number;
  granted: GrantedOrders;
  sort?: BuyerSort | undefined;
}

export interface Scope {
  place: OrderCursor;
  question: Question;
  scan: ReadOrders;
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

/** "course 7 "Watercolour" without bundle 2 "Art Year", at least 2 products". */
export function questionText({ products, match, without, minProducts }: Question): string {
  const list = (some: readonly KnownProduct[]) => some.map(productText).join(', ');
  const [only, ...others] = products;
  const wanted =
    only === undefined ? 'any product' : others.length === 0 ? productText(only) : `${match} of ${list(products)}`;
  const least = minProducts > 1 ? `, at least ${minProducts} products` : '';
  return `${wanted}${without.length === 0 ? '' : ` without ${list(without)}`}${least}`;
}

const titlesOf = (products: readonly { ref: string; title?: string | undefined }[]) =>
  Object.fromEntries(products.map(({ ref, title }) => [ref, nameLine(title) ?? '']));

export function questionFacts({ products, match, without, minProducts }: Question) {
  const [only, ...others] = products;
  return definedFields({
    product: only !== undefined && others.length === 0 ? productFacts(only) : undefined,
    products: others.length > 0 ? titlesOf(products) : undefined,
    match: others.length > 0 ? match : undefined,
    without: without.length > 0 ? titlesOf(without) : undefined,
    min_products: minProducts > 1 ? minProducts : undefined,
  });
}

/** The titles of the products that rows name, if the question does not. */
export function rowTitles(rows: readonly FoundBuyer[], { products }: Question) {
  const named = products.length > 0 ? [] : rows.flatMap((buyer) => buyer.products);
  return named.length > 0 ? titlesOf(named) : undefined;
}
