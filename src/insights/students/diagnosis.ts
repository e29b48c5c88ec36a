import { bundlesBringing, type Carries, inferBundleContents } from '../sales/bundle-contents.ts';
import type { KnownProduct } from '../sales/product-match.ts';
import { holds, isGrantedOrder, newestFirst, type SoldOrder } from '../sales/sold-order.ts';
import { isSettled, ordersWith } from './holdings.ts';
import { type RevocationEvidence, revocationEvidence, type Traces } from './revocation-evidence.ts';

/** What is known of one student and one product. */
export interface AccessFacts extends Traces {
  /** Undefined: there is no such student. */
  readonly student: { readonly courseIds: readonly number[] | undefined } | undefined;
  readonly isPublished: boolean | undefined;
  readonly daysOfAccess: number | undefined;
  readonly now: Date;
  /** Why orders of the student may be missing; undefined where they are all there. */
  readonly missing?: string | undefined;
}

export const reasons = [
  'holds',
  'no_student',
  'not_published',
  'access_ended',
  'not_enrolled',
  'order_pending',
  'order_failed',
  'revoked',
  'never_ordered',
  'unclear',
] as const;
export type Reason = (typeof reasons)[number];

export interface Through {
  readonly order: string;
  readonly since: string | undefined;
  readonly how: 'bought' | 'granted';
  readonly via: string | undefined;
}

export interface Diagnosis {
  readonly holds: boolean;
  readonly reason: Reason;
  readonly explanation: string;
  readonly through: readonly Through[];
}

const dayMs = 86_400_000;
const maxEvidence = 3;

function throughOf(order: SoldOrder, ref: string, carries: Carries): Through {
  return {
    order: order.id,
    since: order.created_at,
    how: isGrantedOrder(order) ? 'granted' : 'bought',
    via: bundlesBringing(order, ref, carries).join(', ') || undefined,
  };
}

/** When access through the last of these orders ended, where the product gives it for a number of days and that is over. */
function endedAt(through: readonly SoldOrder[], { daysOfAccess, now }: AccessFacts): Date | undefined {
  const last = Math.max(...through.map(({ at }) => at ?? Number.POSITIVE_INFINITY));
  if (!daysOfAccess || !Number.isFinite(last)) return undefined;
  const end = new Date(last + daysOfAccess * dayMs);
  return end < now ? end : undefined;
}

/** No more than fit into a sentence. */
function listed(signs: readonly string[]): string {
  const shown = signs.slice(0, maxEvidence).join('; ');
  return signs.length > maxEvidence ? `${shown}; and ${signs.length - maxEvidence} more` : shown;
}

function neverText({ vague }: RevocationEvidence): string {
  const never = 'no paid order of this student lists it, as far as the API shows';
  return vague.length === 0 ? never : `${never}; that it was taken off one cannot be ruled out: ${listed(vague)}`;
}

function withoutOrder(facts: AccessFacts): Omit<Diagnosis, 'through'> {
  const unpaid = facts.orders.filter((order) => !isSettled(order) && holds(order, facts.product.ref)).sort(newestFirst);
  const pending = unpaid.find(({ status }) => status === 'pending');
  const [failed] = unpaid;
  const not = (reason: Reason, explanation: string) => ({ holds: false, reason, explanation });
  if (pending !== undefined) {
    return not('order_pending', `order ${pending.id} is pending: the payment has not come in`);
  }
  const signs = revocationEvidence(facts);
  if (signs.telling.length > 0) {
    return not('revoked', `it was probably taken off an order: ${listed(signs.telling)}`);
  }
  if (failed !== undefined) return not('order_failed', `the payment of order ${failed.id} failed`);
  return not(signs.vague.length > 0 ? 'unclear' : 'never_ordered', neverText(signs));
}

/** Why what a student holds cannot be used now; undefined where it can. */
function hindrance(facts: AccessFacts, settled: readonly SoldOrder[], isListed: boolean | undefined) {
  const no = (reason: Reason, explanation: string) => ({ holds: false, reason, explanation });
  if (isListed === false) {
    return no('not_enrolled', 'an order lists the course, but the API does not list it as theirs');
  }
  if (facts.isPublished === false) return no('not_published', 'the student holds it, but it is not published');
  const ended = endedAt(settled, facts)?.toISOString().slice(0, 10);
  if (ended === undefined) return undefined;
  const counted = 'counted from the last order';
  return no('access_ended', `access lasts ${facts.daysOfAccess} days and, ${counted}, ended on ${ended}`);
}

function judge(facts: AccessFacts): Diagnosis {
  const { product, student, orders } = facts;
  if (student === undefined) {
    return { holds: false, reason: 'no_student', explanation: 'there is no student with this email', through: [] };
  }
  const settled = ordersWith(orders, product.ref);
  const carries = inferBundleContents(orders);
  const through = settled.map((order) => throughOf(order, product.ref, carries));
  const isListed = product.kind === 'course' ? student.courseIds?.includes(product.id) : undefined;
  if (settled.length === 0 && isListed !== true) return { ...withoutOrder(facts), through };
  const why = settled.length === 0 ? 'the API lists it as theirs, and no order says why' : 'an order lists it';
  const held = { holds: true, reason: 'holds', explanation: why } as const;
  return { ...(hindrance(facts, settled, isListed) ?? held), through };
}

/** What the student list or the product says is so, whatever orders are missing. */
const certainWithoutOrders: ReadonlySet<Reason> = new Set(['holds', 'no_student', 'not_published', 'not_enrolled']);

/**
 * Whether a student holds a product, through what, and if not, why. The API shows no log of access: `explanation` says what
 * the judgement rests on. Where orders are missing, one of them may give access: that is `unclear`.
 */
export function diagnose(facts: AccessFacts): Diagnosis {
  const judged = judge(facts);
  if (facts.missing === undefined || certainWithoutOrders.has(judged.reason)) return judged;
  const explanation = `orders may be missing (${facts.missing}); as far as they were read: ${judged.explanation}`;
  return { ...judged, reason: 'unclear', explanation };
}

/** The call that would give access; undefined where none is needed, or the API has none. */
export function mendOf({ reason }: Diagnosis, { kind, id, type }: KnownProduct & { type: string }, email: string) {
  if (reason === 'holds') return undefined;
  if (reason === 'not_published') {
    return { tool: 'update_product', arguments: { product_type: type, id_or_slug: String(id), is_published: true } };
  }
  if (kind === 'digital_product') return undefined;
  const product = kind === 'course' ? { course_id: id } : { bundle_id: id };
  return { tool: 'enroll_student', arguments: { email, ...product } };
}
