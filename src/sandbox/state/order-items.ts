import type { Catalogue } from './catalogue.ts';

/** The currency of prices and of granted orders. */
export const accountCurrency = 'USD';

/** Adds missing decimals: "49" is "49.00", "49.9" is "49.90". Takes any price that the contract accepts. */
export function normalPrice(price: string): string {
  const [whole = '0', fraction = ''] = price.split('.');
  return `${whole.replace(/^0+(?=\d)/, '')}.${fraction.padEnd(2, '0')}`;
}

/** Whole cents as a decimal string: 4900 is "49.00". */
export function decimal(cents: number): string {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** True for a decimal string above zero: a paid amount. */
export function isPositive(amount: string): boolean {
  return /[1-9]/.test(amount);
}

/** Ids of products in an order. */
export interface OrderItems {
  readonly courses?: readonly number[];
  readonly digitalProducts?: readonly number[];
  readonly bundles?: readonly number[];
}

/** All products of an order. With a bundle, it also lists the bundle's courses and digital products. */
export function orderContents({ bundles }: Pick<Catalogue, 'bundles'>, chosen: OrderItems) {
  const ofBundles = (chosen.bundles ?? []).flatMap((id) => bundles.get(id) ?? []);
  return {
    courses: unique([...(chosen.courses ?? []), ...ofBundles.flatMap((bundle) => bundle.course_ids)]),
    digital_products: unique([
      ...(chosen.digitalProducts ?? []),
      ...ofBundles.flatMap((bundle) => bundle.digital_product_ids),
    ]),
    bundles: unique(chosen.bundles ?? []),
  };
}

/** Titles of the chosen products. For a bundle, its own title without its contents. */
export function itemTitles(catalogue: Catalogue, chosen: OrderItems): string {
  return [
    ...(chosen.bundles ?? []).map((id) => catalogue.bundles.get(id)?.title),
    ...(chosen.courses ?? []).map((id) => catalogue.courses.get(id)?.title),
    ...(chosen.digitalProducts ?? []).map((id) => catalogue.digitalProducts.get(id)?.title),
  ].join(', ');
}

function unique(ids: readonly number[]): readonly number[] {
  return [...new Set(ids)];
}
