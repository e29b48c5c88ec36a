import type { Catalogue } from './catalogue.ts';

/** Ids of what somebody bought or was given. */
export interface OrderItems {
  readonly courses?: readonly number[];
  readonly digitalProducts?: readonly number[];
  readonly bundles?: readonly number[];
}

/** A bundle brings its courses and digital products along: an order lists all three. */
export function orderContents({ bundles }: Pick<Catalogue, 'bundles'>, bought: OrderItems) {
  const carried = (bought.bundles ?? []).flatMap((id) => bundles.get(id) ?? []);
  return {
    courses: unique([...(bought.courses ?? []), ...carried.flatMap((bundle) => bundle.course_ids)]),
    digital_products: unique([
      ...(bought.digitalProducts ?? []),
      ...carried.flatMap((bundle) => bundle.digital_product_ids),
    ]),
    bundles: unique(bought.bundles ?? []),
  };
}

/** Titles of what was chosen: of a bundle its own title, not its contents. */
export function itemTitles(catalogue: Catalogue, bought: OrderItems): string {
  return [
    ...(bought.bundles ?? []).map((id) => catalogue.bundles.get(id)?.title),
    ...(bought.courses ?? []).map((id) => catalogue.courses.get(id)?.title),
    ...(bought.digitalProducts ?? []).map((id) => catalogue.digitalProducts.get(id)?.title),
  ].join(', ');
}

function unique(ids: readonly number[]): readonly number[] {
  return [...new Set(ids)];
}
