import { timeOf } from '../api-time.ts';
import type { KnownProduct } from '../sales/product-ref.ts';
import type { Diagnosis, Reason } from './diagnosis.ts';
import { likeliestUnpaid, type UnpaidOrder, unpaidText } from './unpaid-orders.ts';

export interface FixCall {
  readonly tool: 'enroll_student' | 'update_product';
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What a grant costs the student. */
  readonly price?: string;
}

/** What gives access: one call, or a person's step before a free grant. */
export type AccessFix = FixCall | { readonly first: string; readonly or_grant_free?: FixCall };

type FixedProduct = KnownProduct & { readonly type: string };

export function callToPublish({ type, id }: FixedProduct): FixCall {
  return { tool: 'update_product', arguments: { product_type: type, id_or_slug: String(id), is_published: true } };
}

/** Undefined for a digital product: the API cannot grant one alone. */
function callToGrant({ through }: Diagnosis, { kind, id }: KnownProduct, email: string): FixCall | undefined {
  if (kind === 'digital_product') return undefined;
  const product = kind === 'course' ? { course_id: id } : { bundle_id: id };
  // An order lists it: otherwise enroll_student would find it held and send nothing.
  const again = through.length > 0 ? { even_if_held: true } : {};
  return { tool: 'enroll_student', arguments: { email, ...product, ...again }, price: 'free: an order of amount 0' };
}

/** Reasons that a payment may end. */
const unpaidReasons: ReadonlySet<Reason> = new Set(['order_pending', 'order_failed', 'access_ended', 'unclear']);

/** The unpaid orders after the last order that gave access: the student already paid again after an older one. */
function openOrders({ through, unpaid }: Diagnosis): UnpaidOrder[] {
  const last = Math.max(...through.map(({ since }) => timeOf(since) ?? Number.NEGATIVE_INFINITY));
  return unpaid.filter(({ created_at }) => (timeOf(created_at) ?? Number.POSITIVE_INFINITY) > last);
}

/** The order that a fix is about. */
const openOrder = (diagnosis: Diagnosis) => likeliestUnpaid(openOrders(diagnosis));

/**
 * Undefined if nothing is needed or no call helps. An unpaid order is paid first, since a grant gives the product away; an unknown
 * email is first checked, since a grant makes a new student.
 */
export function fixFor(diagnosis: Diagnosis, product: FixedProduct, email: string): AccessFix | undefined {
  const { reason } = diagnosis;
  if (['holds', 'hindered', 'not_shown_yet'].includes(reason)) return undefined;
  if (reason === 'not_published') return callToPublish(product);
  const grant = callToGrant(diagnosis, product, email);
  const after = (first: string) => ({ first, ...(grant === undefined ? {} : { or_grant_free: grant }) });
  if (reason === 'no_student') return after('check the spelling of the email: list_students with name finds a student');
  const order = openOrder(diagnosis);
  if (order === undefined || !unpaidReasons.has(reason)) return grant;
  const again = `ask the student to pay again: ${unpaidText(order)} is ${order.status}`;
  if (order.status !== 'pending') return after(again);
  return after(
    `check the open payment of ${unpaidText(order)}, which is pending and may still be paid; only if it was given up, ask the student to pay again`,
  );
}

/** What to tell a student who holds the product; undefined for every other diagnosis. */
export function tellHolder(diagnosis: Diagnosis, email: string): string | undefined {
  if (diagnosis.reason !== 'holds') return undefined;
  const listed = `the API lists it for ${email}, and nothing that was read speaks against access; check that they sign in with this email`;
  const order = openOrder(diagnosis);
  return order === undefined ? listed : `${listed}; the newer ${unpaidText(order)} is ${order.status}`;
}
