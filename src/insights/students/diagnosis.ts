import { oneLine } from '../../shared/clean-text.ts';
import { firstOf } from '../../shared/invalid-input.ts';
import { timeOf } from '../api-time.ts';
import { type BundleContents, bundleContents, bundleNames } from '../sales/bundle-contents.ts';
import type { KnownProduct, Product } from '../sales/products-in-order.ts';
import {
  holds,
  howHeld,
  isGrantedOrder,
  isKnownStatus,
  isSettled,
  isUnpaid,
  type ListedProduct,
  listsProduct,
  newestFirst,
  type SoldOrder,
} from '../sales/sold-order.ts';
import { countUnreadable, type Unreadable } from '../unreadable.ts';
import {
  accessEnd,
  type Held,
  type HoldingEvidence,
  lastTime,
  type RecentGrant,
  recentGrantText,
  whoHolds,
} from './holdings.ts';
import { type AccessRecords, isNamed, revocationEvidence } from './revocation-evidence.ts';

/** Pending and failed orders that list or name it, newest first: a revocation takes a product off unpaid orders too. */
function unpaidOf(facts: AccessFacts) {
  const { orders, product } = facts;
  const { ref } = product;
  const unpaid = orders.filter((order) => isUnpaid(order) && (holds(order, ref) || isNamed(order, facts)));
  const contents = bundleContents(orders);
  return unpaid.sort(newestFirst).map((order) => {
    const { id, status, amount, currency = '', created_at, products } = order;
    const isIts = (one: ListedProduct) => one.kind === 'bundle' && contents(order, one.ref, ref) !== false;
    const bundles = product.kind === 'bundle' ? [] : products.filter(isIts);
    return {
      order: id,
      status,
      /** With the currency: "49.00 USD". */
      amount: amount && oneLine(`${amount} ${currency}`, 60).trim(),
      created_at,
      /** The bundle that it is an order of, if the product is asked for as a part of it. */
      via: bundles.map((one) => one.title ?? one.ref).join(', ') || undefined,
    };
  });
}

type UnpaidOrder = ReturnType<typeof unpaidOf>[number];

/** The order that an answer is about: a pending one may still be paid. */
function likeliestUnpaid(unpaid: readonly UnpaidOrder[]): UnpaidOrder | undefined {
  return unpaid.find(({ status }) => status === 'pending') ?? unpaid[0];
}

/** "order 1f2e (49.00 USD, 2026-11-01)". The day is that of UTC. */
export function unpaidText({ order, amount, created_at, via }: UnpaidOrder): string {
  const facts = [via && `bundle ${oneLine(via, 200)}`, amount, created_at?.slice(0, 10)].filter(Boolean).join(', ');
  return facts === '' ? `order ${order}` : `order ${order} (${facts})`;
}

export interface AccessFacts extends AccessRecords, Pick<HoldingEvidence, 'missing'> {
  /** Undefined: there is no such student. */
  readonly student: Pick<HoldingEvidence, 'shown'> | undefined;
  readonly isPublished: boolean | undefined;
  readonly daysOfAccess: number | undefined;
  readonly now: Date;
  /** What the API shows beside the orders that speaks against access: "status suspended". */
  readonly against: readonly string[];
  /** What this server gave the student in the last ten minutes. */
  readonly recent: readonly RecentGrant[];
  /** Why the details of the student, and so their courses, could not be read. */
  readonly unread?: string | undefined;
}

/** `certain`: holds even if orders are missing. `payable`: a payment may end it. */
const kindOfReason = {
  holds: 'certain',
  hindered: 'certain',
  not_shown_yet: 'certain',
  no_student: 'certain',
  not_published: 'certain',
  access_ended: 'payable',
  not_enrolled: 'certain',
  order_pending: 'payable',
  order_failed: 'payable',
  revoked: 'other',
  never_ordered: 'other',
  unclear: 'payable',
} as const;
export type Reason = keyof typeof kindOfReason;
export const reasons = Object.keys(kindOfReason) as Reason[];

export interface Diagnosis {
  readonly holds: boolean;
  readonly reason: Reason;
  readonly explanation: string;
  readonly through: readonly ReturnType<typeof throughOf>[];
  /** Pending and failed orders that list it, newest first, for every reason. */
  readonly unpaid: readonly UnpaidOrder[];
  /** The product is not published, for every reason. */
  readonly isHidden: boolean;
}

type Verdict = Pick<Diagnosis, 'holds' | 'reason' | 'explanation'>;

const maxEvidence = 3;

/** `how` is undefined if the amount is unreadable or below 0. */
function throughOf(order: SoldOrder, ref: string, contents: BundleContents) {
  const via = bundleNames(order, ref, contents).join(', ') || undefined;
  return { order: order.id, since: order.created_at, how: howHeld([order]), via };
}

const listed = (signs: readonly string[]) => firstOf(signs, maxEvidence, '; ');

function withoutOrder(facts: AccessFacts, { doubts }: Held): Verdict {
  if (doubts.length > 0) return not('unclear', `unclear: ${listed(doubts)}`);
  const unpaid = likeliestUnpaid(unpaidOf(facts));
  if (unpaid?.status === 'pending') return not('order_pending', `${unpaidText(unpaid)} is pending: it is not paid yet`);
  const signs = revocationEvidence(facts);
  if (signs.telling.length > 0) {
    // A free grant that was taken back hides the payment that failed before it.
    const lost = facts.orders.filter((order) => isSettled(order) && isNamed(order, facts));
    if (unpaid !== undefined && lost.length > 0 && lost.every(isGrantedOrder)) {
      const taken = 'a free grant was taken back since';
      return not('order_failed', `the payment of ${unpaidText(unpaid)} failed; ${taken}: ${listed(signs.telling)}`);
    }
    return not('revoked', `it was probably taken off an order: ${listed(signs.telling)}`);
  }
  if (unpaid !== undefined) return not('order_failed', `the payment of ${unpaidText(unpaid)} failed`);
  const never = 'the API shows no paid order of this student that lists it';
  if (signs.vague.length === 0) return not('never_ordered', never);
  return not('unclear', `${never}; it may have been taken off one: ${listed(signs.vague)}`);
}

function hindrance(facts: AccessFacts, settled: readonly SoldOrder[], isListed?: boolean): Verdict | undefined {
  if (isListed === false) {
    const isDirect = settled.some(({ products }) => products.every(({ kind }) => kind !== 'bundle'));
    const unlisted = 'an order lists the course, but the API does not list it among the courses of the student';
    if (isDirect) return not('not_enrolled', unlisted);
    return not('unclear', `${unlisted}; it came in a bundle, and the API may list only courses bought separately`);
  }
  if (facts.isPublished === false)
    return { holds: true, reason: 'not_published', explanation: 'the student has it, but it is not published' };
  const ended = accessEnd(lastTime(settled), facts.daysOfAccess, facts.now);
  if (ended === undefined) return undefined;
  const counted = 'counted from the last order';
  return not('access_ended', `access lasts ${facts.daysOfAccess} days: ${counted}, it ended on ${ended}`);
}

const not = (reason: Reason, explanation: string): Verdict => ({ holds: false, reason, explanation });

/** A grant of this server that the API does not show yet. */
function recentlyGiven({ recent, product }: AccessFacts): Verdict | undefined {
  const grant = recent.find(({ ref }) => ref === product.ref);
  if (grant !== undefined) return not('not_shown_yet', recentGrantText(grant));
  const bundle = product.kind === 'bundle' ? undefined : recent.find(({ ref }) => ref.startsWith('bundle '));
  return bundle && not('unclear', `${bundle.ref} was ${recentGrantText(bundle)}, and may contain it`);
}

function whyHeld({ listing, carriers }: Held): string {
  if (listing.length > 0) return 'an order lists it';
  return carriers.length > 0
    ? 'orders of others show that its bundle contains it'
    : 'the API lists it among the courses of the student, and no order explains why';
}

function judge(facts: AccessFacts, found: Held): Verdict {
  const { product, student, against } = facts;
  if (student === undefined) return recentlyGiven(facts) ?? not('no_student', 'there is no student with this email');
  const { shown } = student;
  const { ref, kind } = product;
  const settled = [...found.listing, ...found.carriers];
  const isSeen = kind === 'course' && shown?.products.some((course) => course.ref === ref);
  const isListed = isSeen || (kind === 'course' && shown?.isWhole ? false : undefined);
  if (settled.length === 0 && isListed !== true) return recentlyGiven(facts) ?? withoutOrder(facts, found);
  const why = whyHeld(found);
  if (found.refund !== undefined) return not('unclear', `${why}, but ${found.refund}`);
  const hindered = hindrance(facts, settled, isListed);
  if (hindered !== undefined) return hindered;
  if (against.length === 0) return { holds: true, reason: 'holds', explanation: why };
  return { holds: true, reason: 'hindered', explanation: `${why}; against access: ${listed(against)}` };
}

/** The API has no access log: `explanation` states the evidence. If orders are missing, only some reasons still hold. */
export function diagnose(facts: AccessFacts): Diagnosis {
  const { product, student, orders, missing, unread } = facts;
  const contents = bundleContents([...orders, ...facts.others]);
  const found = whoHolds({ ...product, title: undefined }, { orders, shown: student?.shown, contents });
  const judged = judge(facts, found);
  const through = [...found.listing, ...found.carriers].map((order) => throughOf(order, product.ref, contents));
  const all = { ...judged, through, unpaid: unpaidOf(facts), isHidden: facts.isPublished === false };
  if ((missing ?? unread) === undefined || kindOfReason[judged.reason] === 'certain') return all;
  const why =
    missing === undefined ? `the details could not be read (${unread})` : `orders may be missing (${missing})`;
  return { ...all, reason: 'unclear', explanation: `${why}; from what was read: ${judged.explanation}` };
}

/** Counts what is unreadable in the orders and could change the diagnosis. Empty if the student holds the product. */
export function unreadableAccess({ orders, product }: AccessFacts, { holds }: Diagnosis): Unreadable {
  if (holds) return {};
  return countUnreadable(
    orders.flatMap((order) => [
      ...(listsProduct(order, product) === undefined ? (['products'] as const) : []),
      ...(isKnownStatus(order) ? [] : (['statuses'] as const)),
    ]),
  );
}

/** Undefined for a digital product: the API cannot grant one alone. */
function callToGrant({ through }: Diagnosis, { kind, id }: KnownProduct, email: string) {
  if (kind === 'digital_product') return undefined;
  const product = kind === 'course' ? { course_id: id } : { bundle_id: id };
  // An order lists it: otherwise enroll_student would find it held and send nothing.
  const again = through.length > 0 ? { even_if_held: true } : {};
  return { tool: 'enroll_student', arguments: { email, ...product, ...again }, price: 'free: an order of amount 0' };
}

/** An unpaid order after the last order that gave access: the student already paid again after an older one. */
function openOrder({ through, unpaid }: Diagnosis): UnpaidOrder | undefined {
  const last = Math.max(...through.map(({ since }) => timeOf(since) ?? Number.NEGATIVE_INFINITY));
  const isLater = ({ created_at }: UnpaidOrder) => (timeOf(created_at) ?? Number.POSITIVE_INFINITY) > last;
  return likeliestUnpaid(unpaid.filter(isLater));
}

/**
 * What gives access: one call, or a person's step before a free grant. Undefined if nothing is needed or no call helps. An unpaid
 * order is paid first, since a grant gives the product away; an unknown email is first checked, since a grant makes a new student.
 */
export function fixFor(diagnosis: Diagnosis, product: Product, email: string) {
  const { reason } = diagnosis;
  if (['holds', 'hindered', 'not_shown_yet'].includes(reason)) return undefined;
  if (reason === 'not_published') {
    const { type, id } = product;
    return { tool: 'update_product', arguments: { product_type: type, id_or_slug: String(id), is_published: true } };
  }
  const grant = callToGrant(diagnosis, product, email);
  const after = (first: string) => ({ first, ...(grant === undefined ? {} : { or_grant_free: grant }) });
  if (reason === 'no_student') return after('check the spelling of the email: list_students with name finds a student');
  const order = openOrder(diagnosis);
  if (order === undefined || kindOfReason[reason] !== 'payable') return grant;
  if (order.status !== 'pending') return after(`ask the student to pay again: ${unpaidText(order)} is ${order.status}`);
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
