import { bundlesBringing, type Carries, carriersOf } from './bundling.ts';
import type { KnownProduct } from './product-match.ts';
import { holds, isGift, newestFirst, type SoldOrder } from './sold-order.ts';
import { isSettled, ordersWith } from './standing.ts';

/** What is known of one student and one product. */
export interface AccessFacts {
  readonly product: KnownProduct;
  /** Undefined: there is no such student. */
  readonly student: { readonly courseIds: readonly number[] | undefined } | undefined;
  /** Of every status. */
  readonly orders: readonly SoldOrder[];
  /** What orders say of themselves, by id: it outlives what is taken off them. */
  readonly descriptions: ReadonlyMap<string, string>;
  readonly isPublished: boolean | undefined;
  readonly daysOfAccess: number | undefined;
  /** Percent of the course, where it was asked for. */
  readonly completion: number | undefined;
  readonly now: Date;
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

function throughOf(order: SoldOrder, ref: string, carries: Carries): Through {
  return {
    order: order.id,
    since: order.created_at,
    how: isGift(order) ? 'granted' : 'bought',
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

/** An order of a bundle that was changed some time after it was made. */
function isChangedBundle({ products, at, updated_at }: SoldOrder): boolean {
  const changed = Date.parse(updated_at ?? '');
  return products.some(({ kind }) => kind === 'bundle') && at !== undefined && changed - at > 60_000;
}

/**
 * Signs that something was taken off an order. `sure`: an order still names the product, or progress is left. `vague`: an order
 * lists nothing any more, or is of a bundle and was changed, which may be on account of another product.
 */
function signsOfRevoking({ orders, descriptions, product, completion }: AccessFacts) {
  const title = product.title?.toLowerCase() || undefined;
  const isIn = (text: string | undefined) => title !== undefined && text?.toLowerCase().includes(title) === true;
  // The title of a product that is still listed may have this one in it.
  const names = ({ id, products }: SoldOrder) =>
    isIn(descriptions.get(id)) && !products.some((listed) => isIn(listed.title));
  const settled = orders.filter(isSettled).filter((order) => !holds(order, product.ref));
  const naming = settled.find((order) => names(order));
  const empty = settled.find(({ products }) => products.length === 0);
  const changed = settled.find(isChangedBundle);
  const sure = [
    ...(naming === undefined ? [] : [`order ${naming.id} names the product and no longer lists it`]),
    ...(completion === undefined || completion === 0 ? [] : [`there is progress of ${completion}% in it`]),
  ];
  const vague = [
    ...(empty === undefined ? [] : [`order ${empty.id} lists no product any more`]),
    ...(changed === undefined
      ? []
      : [`order ${changed.id} is of a bundle and was changed on ${changed.updated_at?.slice(0, 10)}`]),
  ];
  return { sure, vague };
}

function withoutOrder(facts: AccessFacts): Omit<Diagnosis, 'through'> {
  const unpaid = facts.orders.filter((order) => !isSettled(order) && holds(order, facts.product.ref)).sort(newestFirst);
  const pending = unpaid.find(({ status }) => status === 'pending');
  const [failed] = unpaid;
  const { sure, vague } = signsOfRevoking(facts);
  const not = (reason: Reason, explanation: string) => ({ holds: false, reason, explanation });
  if (pending !== undefined) {
    return not('order_pending', `order ${pending.id} is pending: the payment has not come in`);
  }
  if (failed !== undefined) return not('order_failed', `the payment of order ${failed.id} failed`);
  if (sure.length > 0) return not('revoked', `it was probably taken off an order: ${sure.join('; ')}`);
  if (vague.length > 0) return not('revoked', `it was taken off an order or never ordered: ${vague.join('; ')}`);
  return not('never_ordered', 'no order of this student has ever listed it, as far as the API shows');
}

/**
 * Whether a student holds a product, through what, and if not, why. The API shows no log of access: `explanation` says what
 * the judgement rests on.
 */
export function diagnose(facts: AccessFacts): Diagnosis {
  const { product, student, isPublished } = facts;
  if (student === undefined) {
    return { holds: false, reason: 'no_student', explanation: 'there is no student with this email', through: [] };
  }
  const settled = ordersWith(facts.orders, product.ref);
  const carries = carriersOf(facts.orders);
  const through = settled.map((order) => throughOf(order, product.ref, carries));
  const isListed = product.kind === 'course' ? student.courseIds?.includes(product.id) : undefined;
  if (settled.length === 0 && isListed !== true) return { ...withoutOrder(facts), through };
  const no = (reason: Reason, explanation: string) => ({ holds: false, reason, explanation, through });
  if (isListed === false)
    return no('not_enrolled', 'an order lists the course, but the API does not list it as theirs');
  if (isPublished === false) return no('not_published', 'the student holds it, but it is not published');
  const ended = endedAt(settled, facts);
  if (ended !== undefined) {
    const when = ended.toISOString().slice(0, 10);
    return no(
      'access_ended',
      `access lasts ${facts.daysOfAccess} days and, counted from the last order, ended on ${when}`,
    );
  }
  const why = settled.length === 0 ? 'the API lists it as theirs, and no order says why' : 'an order lists it';
  return { holds: true, reason: 'holds', explanation: why, through };
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
