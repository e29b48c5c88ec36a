import { composed } from '../../shared/clean-text.ts';
import {
  isKnownStatus,
  type ListedProduct,
  listsProduct,
  type ProductKind,
  type SoldOrder,
} from '../sales/sold-order.ts';
import type { ShownCourses } from './courses-in-details.ts';
import { isSettled } from './holdings.ts';

// Whether somebody holds a product. Orders are documented and come first; the courses of the details come second.

/** What is asked for. */
export interface WantedProduct {
  readonly ref: string;
  readonly kind: ProductKind;
  readonly id: number;
  readonly title?: string | undefined;
}

export interface HeldEvidence {
  /** Of every status. */
  readonly orders: readonly SoldOrder[];
  /** Why orders may be missing; undefined where they are proved to be all there. */
  readonly missing: string | undefined;
  /** Undefined where the details show no courses. */
  readonly shown: ShownCourses | undefined;
}

export type Held =
  | { readonly held: true }
  | { readonly held: false }
  /** It cannot be told, and why. */
  | { readonly held: undefined; readonly why: string };

const plain = (text: string | undefined) => composed((text ?? '').trim().replace(/\s+/g, ' ')).toLowerCase();

/** Two titles that are known and are not one. */
function differs(one: string | undefined, other: string | undefined): boolean {
  return plain(one) !== '' && plain(other) !== '' && plain(one) !== plain(other);
}

const isTitled = (title: string | undefined, { title: wanted }: WantedProduct) =>
  plain(wanted) !== '' && plain(title) === plain(wanted);

/** Whether a list names the product; undefined where an id and a title contradict each other, as the id of a row would. */
function isListed(products: readonly ListedProduct[], wanted: WantedProduct): boolean | undefined {
  const own = products.filter(({ kind }) => kind === wanted.kind);
  const sameId = own.filter(({ ref }) => ref === wanted.ref);
  if (sameId.some(({ title }) => !differs(title, wanted.title))) return true;
  return sameId.length > 0 || own.some(({ title }) => isTitled(title, wanted)) ? undefined : false;
}

/** A bundle alone on an order may bring what the order does not list. */
function mayCarry({ products }: SoldOrder, { kind }: WantedProduct): boolean {
  return kind !== 'bundle' && products.length > 0 && products.every((product) => product.kind === 'bundle');
}

/** What leaves it open whether an order gives the product; undefined where it does not give it. */
function doubtOn(order: SoldOrder, wanted: WantedProduct, shown: ShownCourses | undefined): string | undefined {
  const isNamed = isListed(order.products, wanted);
  const lists = isNamed === false ? listsProduct(order, wanted) : isNamed;
  if (!isSettled(order)) {
    const isIdle = isKnownStatus(order) || lists === false;
    return isIdle ? undefined : `order ${order.id} has the status "${order.status ?? ''}", which is not known`;
  }
  if (lists === undefined) return `what order ${order.id} lists could not be read`;
  const isTold = wanted.kind === 'course' && shown?.isWhole === true;
  return mayCarry(order, wanted) && !isTold ? `order ${order.id} lists a bundle and not what is in it` : undefined;
}

/** Courses that came without an order, or in a bundle, may stand in the details alone. */
function shownDoubt(wanted: WantedProduct, { courses, titles }: ShownCourses): string | undefined {
  const isUnclear =
    wanted.kind === 'course' &&
    (isListed(courses, wanted) === undefined || titles.some((title) => isTitled(title, wanted)));
  return isUnclear
    ? 'the details of the student name a course of that title in a form that could not be read'
    : undefined;
}

const maxDoubts = 2;

/** Judges whether a product is held: `false` only where everything that could show it was read and does not. */
export function judgeHeld(wanted: WantedProduct, { orders, missing, shown }: HeldEvidence): Held {
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
