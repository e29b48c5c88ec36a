import { dayMs } from '../../shared/durations.ts';
import { timeOf } from '../api-time.ts';
import { bundleContents } from '../sales/bundle-contents.ts';
import type { KnownProduct } from '../sales/products-in-order.ts';
import { holds, isSettled, type ListedProduct, ordersOfBundlesAlone, type SoldOrder } from '../sales/sold-order.ts';

/** Records that may show that a product was taken off an order: the API has no log of it. */
export interface AccessRecords {
  readonly product: KnownProduct;
  /** Orders of the student, of every status. */
  readonly orders: readonly SoldOrder[];
  /** Descriptions of orders by id: they still name products that were taken off. */
  readonly descriptions: ReadonlyMap<string, string>;
  /** Percent of the course, if it was read. */
  readonly completion: number | undefined;
  /** Orders of all students: only they show what a bundle contains. Empty if they were not read. */
  readonly others: readonly SoldOrder[];
}

/** Characters. The search time grows with the length of both texts. */
const maxTitle = 500;

/** Whether a description has the whole title: "Drawing" is not in "Drawing Hands". */
function isNamedIn(description: string | undefined, title: string | undefined): boolean {
  if (description === undefined || !title?.trim() || title.length > maxTitle) return false;
  const literal = title.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(^|[^\\p{L}\\p{N}\\s])\\s*${literal}\\s*($|[^\\p{L}\\p{N}\\s])`, 'iu').test(description);
}

/** Whether a bundle of an order contained the product, by the orders of other students; undefined: not known. */
function isInBundle(order: SoldOrder, bundle: string, { orders, others, product }: AccessRecords): boolean | undefined {
  const own = new Set(orders.map(({ id }) => id));
  return bundleContents(others.filter(({ id }) => !own.has(id)))(order, bundle, product.ref);
}

/** Whether an order was changed more than a minute after it was created. */
function isChanged({ at, updated_at }: SoldOrder): boolean {
  const changedAt = timeOf(updated_at);
  return at !== undefined && changedAt !== undefined && changedAt - at > 60_000;
}

function changedBundles(order: SoldOrder): ListedProduct[] {
  return isChanged(order) ? order.products.filter(({ kind }) => kind === 'bundle') : [];
}

/** Bundles that the description of an order names but the order does not list. */
function lostBundles(order: SoldOrder, { others, descriptions }: AccessRecords): ListedProduct[] {
  const seen = new Map(others.flatMap(({ products }) => products).map((product) => [product.ref, product]));
  return [...seen.values()].filter(
    ({ ref, kind, title }) => kind === 'bundle' && !holds(order, ref) && isNamedIn(descriptions.get(order.id), title),
  );
}

/** Whether the description names the product. Not if another listed product has the same title. */
export function isNamed({ id, products }: SoldOrder, { product: { title }, descriptions }: AccessRecords): boolean {
  return isNamedIn(descriptions.get(id), title) && !products.some((listed) => isNamedIn(listed.title, title));
}

/** `telling`: about this product. `vague`: something may have been taken off, but nothing shows that it was this product. */
function evidenceOn(order: SoldOrder, records: AccessRecords) {
  const { id, products } = order;
  const telling = (what: string) => ({ telling: [`order ${id} ${what} but does not list it`], vague: [] });
  const vague = (what: string) => ({ telling: [], vague: [`order ${id} ${what}`] });
  if (isNamed(order, records)) return telling('names the product');
  const isBundle = records.product.kind === 'bundle';
  const bundles = isBundle ? [] : [...changedBundles(order), ...lostBundles(order, records)];
  const having = (isIn: boolean | undefined) => bundles.find(({ ref }) => isInBundle(order, ref, records) === isIn);
  const [carrier, unknown] = [having(true), having(undefined)];
  if (carrier !== undefined) return telling(`is for ${carrier.ref}, which contains it,`);
  if (unknown !== undefined) return vague(`for ${unknown.ref} was changed`);
  if (products.length === 0) return vague('no longer lists any product');
  return bundles.length === 0 && isChanged(order) ? vague('was changed') : { telling: [], vague: [] };
}

function withoutProduct({ orders, product }: AccessRecords): SoldOrder[] {
  return orders.filter((order) => isSettled(order) && !holds(order, product.ref));
}

export function revocationEvidence(records: AccessRecords) {
  const { completion = 0 } = records;
  const evidence = withoutProduct(records).map((order) => evidenceOn(order, records));
  return {
    telling: [
      ...evidence.flatMap(({ telling }) => telling),
      ...(completion > 0 ? [`the student has ${completion}% progress in it`] : []),
    ],
    vague: evidence.flatMap(({ vague }) => vague),
  };
}

/** The order that orders of other students could explain: preferably one that lists a bundle. */
export function unclearOrder(records: AccessRecords): SoldOrder | undefined {
  const { telling } = revocationEvidence(records);
  if (records.product.kind === 'bundle' || telling.length > 0) return undefined;
  const doubted = withoutProduct(records).filter((order) => evidenceOn(order, records).vague.length > 0);
  // An order of a bundle alone does not show what it gives.
  return (
    doubted.find((order) => changedBundles(order).length > 0) ?? doubted[0] ?? ordersOfBundlesAlone(records.orders)[0]
  );
}

const weekMs = 7 * dayMs;

/**
 * The bounds of orders around an order, to find others of its bundle, which may no longer be sold. The period is a year: in a
 * quiet academy one page covers much of it, and in a busy one the newest orders come first.
 */
export function periodAroundOrder({ at }: SoldOrder): { created_after?: string; created_before?: string } {
  if (at === undefined) return {};
  const time = (milliseconds: number) => new Date(milliseconds).toISOString();
  return { created_after: time(at - 48 * weekMs), created_before: time(at + 4 * weekMs) };
}
