import { composed } from '../../shared/clean-text.ts';
import {
  isKnownStatus,
  isSettled,
  type ListedProduct,
  listsProduct,
  type ProductKind,
  type SoldOrder,
} from '../sales/sold-order.ts';
import type { CoursesInDetails } from './courses-in-details.ts';

// Whether a student holds a product. Orders are documented, so they decide first; the courses in the details come second.

export interface WantedProduct {
  readonly ref: string;
  readonly kind: ProductKind;
  readonly id: number;
  readonly title?: string | undefined;
}

export interface HoldingEvidence {
  /** Orders of every status. */
  readonly orders: readonly SoldOrder[];
  /** Why orders may be missing; undefined if the list is proved complete. */
  readonly missing: string | undefined;
  /** Undefined if the details have no list of courses. */
  readonly shown: CoursesInDetails | undefined;
}

export type HeldResult =
  | { readonly held: true }
  | { readonly held: false }
  /** Not known, and why. */
  | { readonly held: undefined; readonly why: string };

const plain = (text: string | undefined) => composed((text ?? '').trim().replace(/\s+/g, ' ')).toLowerCase();

/** Whether both titles are known and differ. */
function differs(one: string | undefined, other: string | undefined): boolean {
  return plain(one) !== '' && plain(other) !== '' && plain(one) !== plain(other);
}

/** Whether a list has the product; undefined if id and title disagree, as they do when the id is that of a row. */
function isListed(products: readonly ListedProduct[], wanted: WantedProduct): boolean | undefined {
  const own = products.filter(({ kind }) => kind === wanted.kind);
  const sameId = own.filter(({ ref }) => ref === wanted.ref);
  if (sameId.some(({ title }) => !differs(title, wanted.title))) return true;
  const isTitled = plain(wanted.title) !== '' && own.some(({ title }) => plain(title) === plain(wanted.title));
  return sameId.length > 0 || isTitled ? undefined : false;
}

/** An order of bundles alone may give products that it does not list. */
function mayCarry({ products }: SoldOrder, { kind }: WantedProduct): boolean {
  return kind !== 'bundle' && products.length > 0 && products.every((product) => product.kind === 'bundle');
}

/** Why an order may give the product; undefined if it does not give it. */
function doubtOn(order: SoldOrder, wanted: WantedProduct, shown: CoursesInDetails | undefined): string | undefined {
  const isNamed = isListed(order.products, wanted);
  const lists = isNamed === false ? listsProduct(order, wanted) : isNamed;
  if (!isSettled(order)) {
    const isIdle = isKnownStatus(order) || lists === false;
    return isIdle ? undefined : `order ${order.id} has the unknown status "${order.status ?? ''}"`;
  }
  if (lists === undefined) return `the products of order ${order.id} could not be read`;
  const isInDetails = wanted.kind === 'course' && shown?.isWhole === true;
  return mayCarry(order, wanted) && !isInDetails ? `order ${order.id} lists a bundle without its contents` : undefined;
}

/** A course that came without an order, or in a bundle, may be in the details only. */
function shownDoubt(wanted: WantedProduct, { courses, isWhole }: CoursesInDetails): string | undefined {
  const isUnclear = wanted.kind === 'course' && (!isWhole || isListed(courses, wanted) === undefined);
  return isUnclear ? 'courses in the details of the student could not be read' : undefined;
}

const maxDoubts = 2;

/** Judges whether a product is held: `false` only if everything that could show it was read and does not. */
export function judgeHeld(wanted: WantedProduct, { orders, missing, shown }: HoldingEvidence): HeldResult {
  const isOrdered = orders.some((order) => isSettled(order) && isListed(order.products, wanted) === true);
  const isShown = wanted.kind === 'course' && isListed(shown?.courses ?? [], wanted) === true;
  if (isOrdered || isShown) return { held: true };
  const doubts = [
    missing === undefined ? undefined : `orders may be missing (${missing})`,
    ...orders.map((order) => doubtOn(order, wanted, shown)),
    shown && shownDoubt(wanted, shown),
  ].filter((doubt) => doubt !== undefined);
  return doubts.length === 0 ? { held: false } : { held: undefined, why: doubts.slice(0, maxDoubts).join('; ') };
}
