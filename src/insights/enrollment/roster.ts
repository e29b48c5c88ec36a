import { createHash } from 'node:crypto';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import { composed } from '../../shared/clean-text.ts';
import { firstOf } from '../../shared/invalid-input.ts';
import { type BundleContents, bundleContents } from '../sales/bundle-contents.ts';
import type { KnownProduct } from '../sales/products-in-order.ts';
import {
  buyerKey,
  holds,
  isGrantedOrder,
  isKnownStatus,
  isSettled,
  listsProduct,
  type SoldOrder,
} from '../sales/sold-order.ts';
import { whoHolds } from '../students/holdings.ts';
import type { Person } from './plan.ts';

// Who holds the products of a class and is not on its list, and what may be taken from them.

/** Somebody whose access goes: all of it was granted. */
export interface Leaver {
  readonly email: string;
  readonly name: string | undefined;
  readonly products: readonly KnownProduct[];
  /** The orders that list them. */
  readonly orders: readonly SoldOrder[];
}

/** Somebody who is not on the list and keeps what they hold. */
export interface Kept {
  readonly email: string;
  readonly name: string | undefined;
  readonly why: string;
}

export interface Absent {
  readonly leavers: readonly Leaver[];
  readonly paid: readonly Kept[];
  readonly doubtful: readonly Kept[];
}

/** All orders and students of the academy, as read just now. */
export interface ClassFacts {
  /** By buyer. */
  readonly orders: ReadonlyMap<string, readonly SoldOrder[]>;
  /** By email in lower case. */
  readonly students: ReadonlyMap<string, { readonly email: string; readonly name: string | undefined }>;
  readonly contents: BundleContents;
}

/** `orders` and `students` are complete. */
export function classFacts(
  orders: readonly SoldOrder[],
  students: readonly { readonly email?: string | undefined; readonly name?: string | undefined }[],
): ClassFacts {
  const byBuyer = new Map<string, SoldOrder[]>();
  for (const order of orders) {
    const own = byBuyer.get(order.buyer) ?? [];
    own.push(order);
    byBuyer.set(order.buyer, own);
  }
  const named = students.flatMap(({ email, name }) => (email === undefined ? [] : [{ email, name }]));
  return {
    orders: byBuyer,
    students: new Map(named.map((one) => [buyerKey(one.email), one])),
    contents: bundleContents(orders),
  };
}

/** Whether money may have been paid, or may have been paid and given back: anything but a known 0, pending or failed. */
const mayBePaid = (order: SoldOrder) => !isGrantedOrder(order) && (isSettled(order) || !isKnownStatus(order));

/**
 * The order that keeps a product with somebody: it may be paid, and lists the product, or a bundle that may contain it. The API
 * does not show what a bundle contains, and its revocation takes all of that off every order: any paid order keeps a bundle.
 */
export function paidOrderOf(
  orders: readonly SoldOrder[],
  { ref, kind }: KnownProduct,
  contents: BundleContents,
): SoldOrder | undefined {
  return orders.filter(mayBePaid).find((order) => {
    if (order.unread.length > 0) return true;
    if (kind === 'bundle') return order.products.length > 0;
    if (listsProduct(order, { ref, kind }) !== false) return true;
    // An order that lists more than bundles lists what came in them.
    const isAlone = order.products.every((one) => one.kind === 'bundle');
    const bundles = order.products.filter((one) => one.kind === 'bundle');
    return bundles.some((one) => contents(order, one.ref, ref) ?? isAlone);
  });
}

/** What may be taken from one holder, or why nothing is. Undefined if they hold nothing of it. */
export function judgeHolder(
  orders: readonly SoldOrder[],
  products: readonly KnownProduct[],
  contents: BundleContents,
): { readonly take: readonly KnownProduct[] } | { readonly paid: string } | { readonly doubt: string } | undefined {
  const evidence = { orders, contents, missing: undefined, shown: undefined, recent: [] };
  const judged = products.map((product) => ({ product, ...whoHolds(product, evidence) }));
  const open = judged.filter(({ state }) => state !== 'not');
  if (open.length === 0) return undefined;
  const [paid] = open.flatMap(({ product }) => paidOrderOf(orders, product, contents) ?? []);
  if (paid !== undefined) return { paid: `order ${paid.id}` };
  const doubt = open.find(({ state, listing }) => state === 'perhaps' || listing.length === 0);
  if (doubt === undefined) return { take: open.map(({ product }) => product) };
  return { doubt: doubt.doubts[0] ?? `it came with a bundle, by order ${doubt.carriers[0]?.id}` };
}

/** Everybody who holds one of the products and is not on the list. */
export function absentHolders(people: readonly Person[], products: readonly KnownProduct[], facts: ClassFacts): Absent {
  const listed = new Set(people.map(({ email }) => buyerKey(email)));
  const absent: { leavers: Leaver[]; paid: Kept[]; doubtful: Kept[] } = { leavers: [], paid: [], doubtful: [] };
  for (const [buyer, orders] of facts.orders) {
    if (listed.has(buyer)) continue;
    const judged = judgeHolder(orders, products, facts.contents);
    if (judged === undefined) continue;
    const { email = orders[0]?.email ?? buyer, name = orders[0]?.name } = facts.students.get(buyer) ?? {};
    const keep = (why: string): Kept => ({ email, name, why });
    if ('paid' in judged) absent.paid.push(keep(judged.paid));
    else if ('doubt' in judged) absent.doubtful.push(keep(judged.doubt));
    else if (!studentEmail.safeParse(email).success) absent.doubtful.push(keep('no readable address'));
    else {
      const own = orders.filter((order) => judged.take.some(({ ref }) => holds(order, ref)));
      absent.leavers.push({ email, name, products: judged.take, orders: own });
    }
  }
  return absent;
}

/** Holders who are not on the list, by name: somebody of the same name on it may be the same person with another address. */
export function namesOf({ leavers, paid, doubtful }: Absent): ReadonlyMap<string, string> {
  const found = [...leavers, ...paid, ...doubtful].map(({ email, name }) => [plainName(name), email] as const);
  return new Map(found.filter(([name]) => name !== ''));
}

export const plainName = (name = '') => composed(name.trim().replace(/\s+/g, ' ')).toLowerCase();

/** Nobody goes whose address may only have changed. */
export function withoutRenamed(absent: Absent, renamed: ReadonlySet<string>): Absent {
  const same = absent.leavers.filter(({ email }) => renamed.has(email));
  const doubts = same.map(({ email, name }) => ({
    email,
    name,
    why: 'the list has the same name with another address',
  }));
  return {
    ...absent,
    leavers: absent.leavers.filter((one) => !same.includes(one)),
    doubtful: [...absent.doubtful, ...doubts],
  };
}

/** Holders that one call may remove if `max_removals` does not say so. */
export function removalsAllowed(holders: number): number {
  return Math.max(5, Math.floor(holders / 10));
}

/** 16 hexadecimal digits that change with the list and with everything that the plan says of the academy. */
export function rosterVersion(...facts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

const maxDifferences = 12;

/** What differs between two plans, each by person. */
export function planDifferences(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string {
  const people = [...new Set([...before.keys(), ...now.keys()])].filter((one) => before.get(one) !== now.get(one));
  const changes = people.map((one) => `${one}: ${before.get(one) ?? 'not there'} -> ${now.get(one) ?? 'not there'}`);
  return firstOf(changes, maxDifferences, '; ');
}
