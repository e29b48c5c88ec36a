import { timeOf } from '../api-time.ts';
import { inferBundleContents } from '../sales/bundle-contents.ts';
import type { KnownProduct } from '../sales/product-match.ts';
import { holds, type ListedProduct, type SoldOrder } from '../sales/sold-order.ts';
import { isSettled } from './holdings.ts';

/** What may show that a product was taken off an order: the API has no log of it. */
export interface Traces {
  readonly product: KnownProduct;
  /** Of the student, of every status. */
  readonly orders: readonly SoldOrder[];
  /** What orders say of themselves, by id: it outlives what is taken off them. */
  readonly descriptions: ReadonlyMap<string, string>;
  /** Percent of the course, where it was asked for. */
  readonly completion: number | undefined;
  /** Orders of anybody: the API shows nowhere else what a bundle holds. Empty where they were not asked for. */
  readonly others: readonly SoldOrder[];
}

export interface RevocationEvidence {
  /** They speak of this very product. */
  readonly telling: readonly string[];
  /** Something may have been taken off, and nothing shows that it was this product. */
  readonly vague: readonly string[];
}

/** Characters. A search takes as long as both texts together, many times over. */
const maxTitle = 500;

/** A title stands in a description as a whole, so that "Drawing" is not found in "Drawing Hands". */
function isNamedIn(description: string | undefined, title: string | undefined): boolean {
  if (description === undefined || !title?.trim() || title.length > maxTitle) return false;
  const literal = title.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(^|[^\\p{L}\\p{N}\\s])\\s*${literal}\\s*($|[^\\p{L}\\p{N}\\s])`, 'iu').test(description);
}

/** By the orders that list a bundle, whether it holds a product; undefined where none was seen. Some may sell both side by side. */
function isInBundle(bundle: string, ref: string, { orders, others }: Traces): boolean | undefined {
  const own = new Set(orders.map(({ id }) => id));
  const listing = others.filter((order) => holds(order, bundle) && !own.has(order.id));
  if (listing.length === 0) return undefined;
  return inferBundleContents(listing)(bundle, ref);
}

/** An order that was changed some time after it was made. */
function isChanged({ at, updated_at }: SoldOrder): boolean {
  const changedAt = timeOf(updated_at);
  return at !== undefined && changedAt !== undefined && changedAt - at > 60_000;
}

function changedBundles(order: SoldOrder): ListedProduct[] {
  return isChanged(order) ? order.products.filter(({ kind }) => kind === 'bundle') : [];
}

/** Bundles that an order names and lists no more. */
function lostBundles(order: SoldOrder, { others, descriptions }: Traces): ListedProduct[] {
  const seen = new Map(others.flatMap(({ products }) => products).map((product) => [product.ref, product]));
  return [...seen.values()].filter(
    ({ ref, kind, title }) => kind === 'bundle' && !holds(order, ref) && isNamedIn(descriptions.get(order.id), title),
  );
}

/** Not where it lists a product that has the title too. */
function isNamed({ id, products }: SoldOrder, { product: { title }, descriptions }: Traces): boolean {
  return isNamedIn(descriptions.get(id), title) && !products.some((listed) => isNamedIn(listed.title, title));
}

/** What is in doubt about an order that does not speak of the product. */
function doubtOn(order: SoldOrder, bundles: readonly ListedProduct[], traces: Traces): string[] {
  const unknown = bundles.find(({ ref }) => isInBundle(ref, traces.product.ref, traces) === undefined);
  if (unknown !== undefined) return [`order ${order.id} of ${unknown.ref} was changed`];
  if (order.products.length === 0) return [`order ${order.id} lists nothing any more`];
  return bundles.length === 0 && isChanged(order) ? [`order ${order.id} was changed`] : [];
}

function signsOn(order: SoldOrder, traces: Traces): RevocationEvidence {
  const { product } = traces;
  const telling = (what: string) => ({ telling: [`order ${order.id} ${what} and does not list it`], vague: [] });
  if (isNamed(order, traces)) return telling('names the product');
  const bundles = product.kind === 'bundle' ? [] : [...changedBundles(order), ...lostBundles(order, traces)];
  const carrier = bundles.find(({ ref }) => isInBundle(ref, product.ref, traces) === true);
  if (carrier !== undefined) return telling(`is of ${carrier.ref}, which holds it,`);
  return { telling: [], vague: doubtOn(order, bundles, traces) };
}

function withoutProduct({ orders, product }: Traces): SoldOrder[] {
  return orders.filter((order) => isSettled(order) && !holds(order, product.ref));
}

/** Signs that something was taken off an order of the student that gave access. */
export function revocationEvidence(traces: Traces): RevocationEvidence {
  const { completion = 0 } = traces;
  const signs = withoutProduct(traces).map((order) => signsOn(order, traces));
  return {
    telling: [
      ...signs.flatMap(({ telling }) => telling),
      ...(completion > 0 ? [`there is progress of ${completion}% in it`] : []),
    ],
    vague: signs.flatMap(({ vague }) => vague),
  };
}

/** The order on which orders of others could shed light: one that lists a bundle before one that lists none. */
export function orderInDoubt(traces: Traces): SoldOrder | undefined {
  const { telling } = revocationEvidence(traces);
  if (traces.product.kind === 'bundle' || telling.length > 0) return undefined;
  const doubted = withoutProduct(traces).filter((order) => signsOn(order, traces).vague.length > 0);
  return doubted.find((order) => changedBundles(order).length > 0) ?? doubted[0];
}
