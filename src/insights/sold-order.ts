import type * as z from 'zod';
import { composed, oneLine } from '../clean.ts';
import type { Tolerant } from '../contract/answer.ts';
import { isGranted, type OrderStatus, type order } from '../contract/orders.ts';

export type ApiOrder = Tolerant<z.infer<typeof order>>;

/** What an order may list. A challenge is a course; what the API calls an offer is a bundle. */
export const productKinds = ['course', 'bundle', 'digital_product'] as const;
export type ProductKind = (typeof productKinds)[number];

export interface ListedProduct {
  /** `course 7`: ids of one kind are not ids of another. */
  readonly ref: string;
  readonly kind: ProductKind;
  readonly id: number;
  readonly title: string | undefined;
}

/** An order as far as questions about sales need it: thousands of them are kept for a while. */
export interface SoldOrder {
  readonly id: string;
  /** Milliseconds since 1970; undefined where the API told no time. */
  readonly at: number | undefined;
  readonly created_at: string | undefined;
  readonly updated_at: string | undefined;
  /** The buyer: their email without regard to case. */
  readonly buyer: string;
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly status: string | undefined;
  readonly country: string | undefined;
  readonly products: readonly ListedProduct[];
}

/** One buyer, however they typed their email. */
export function buyerKey(email: string): string {
  return composed(email.trim()).toLowerCase();
}

export function productRef(kind: ProductKind, id: number): string {
  return `${kind} ${id}`;
}

const kindOfList = { courses: 'course', bundles: 'bundle', digital_products: 'digital_product' } as const;

function productsOf(order: ApiOrder): ListedProduct[] {
  const lists = Object.entries(kindOfList) as [keyof typeof kindOfList, ProductKind][];
  const listed = lists.flatMap(([list, kind]) =>
    (order[list] ?? []).flatMap(({ id, title }) =>
      id === undefined ? [] : [{ ref: productRef(kind, id), kind, id, title }],
    ),
  );
  return [...new Map(listed.map((product) => [product.ref, product])).values()];
}

/** The platform makes these texts, and they are shown beside others: none may add a line or hide anything. */
function codeOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : oneLine(text, 200);
}

/** Makes an order small. One without an id is known by what else it says. */
export function soldOrder(order: ApiOrder): SoldOrder {
  const at = Date.parse(order.created_at ?? '');
  const id = codeOf(order.id) ?? JSON.stringify([order.created_at, order.user_email, order.amount, order.description]);
  return {
    id,
    at: Number.isNaN(at) ? undefined : at,
    created_at: codeOf(order.created_at),
    updated_at: codeOf(order.updated_at),
    buyer: order.user_email === undefined ? `order ${id}` : buyerKey(order.user_email),
    email: order.user_email,
    name: order.user_name,
    amount: order.amount,
    currency: codeOf(order.currency),
    status: order.status,
    country: order.billing_country?.trim() || undefined,
    products: productsOf(order),
  };
}

/** Amount 0: access that an admin gave, whatever the status. */
export function isGift({ amount }: SoldOrder): boolean {
  return isGranted(amount);
}

/** The statuses of money that came in: from a card or the like, and from the wallet. */
export const paidStatuses: readonly OrderStatus[] = ['paid', 'wallet_executed'];

export function holds({ products }: SoldOrder, ref: string): boolean {
  return products.some((product) => product.ref === ref);
}

/** Newest first; orders without a time stand last. Equal times are in order of their ids. */
export function newestFirst(one: SoldOrder, other: SoldOrder): number {
  const byTime = (other.at ?? Number.NEGATIVE_INFINITY) - (one.at ?? Number.NEGATIVE_INFINITY);
  return byTime || (one.id < other.id ? -1 : 1);
}
