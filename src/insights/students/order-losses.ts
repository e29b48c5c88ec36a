import type { OldValues } from '../../contract/lookups.ts';
import { type BundleContents, bundleContents } from '../sales/bundle-contents.ts';
import {
  holds,
  isGrantedOrder,
  isSettled,
  type ListedProduct,
  newestFirst,
  type ProductKind,
  productKinds,
  type SoldOrder,
  uniqueByRef,
} from '../sales/sold-order.ts';
import type { Holding } from './holdings.ts';

/** How the student got the products that an order loses; as answers order them. */
const sources = [
  /** A bundle that is removed too. */
  'bought with the bundle',
  /** A bundle that is not removed. */
  'bought with another bundle',
  /** What that bundle contains is not known. */
  'bought, perhaps with another bundle',
  'bought separately',
  'granted',
  'not paid',
] as const;
type LossSource = (typeof sources)[number];

/** What orders show of the contents of a bundle: every product beside it, so that none is missed. Nothing for another kind. */
export function contentsOf(orders: readonly SoldOrder[], { kind, ref }: ListedProduct): ListedProduct[] {
  if (kind !== 'bundle') return [];
  const beside = orders.filter((order) => holds(order, ref)).flatMap(({ products }) => products);
  return uniqueByRef(beside.filter((one) => one.kind !== 'bundle'));
}

/** `removed`: the products that the order loses. `others`: the other bundles that `how` means. */
function sourceOf(order: SoldOrder, removed: readonly ListedProduct[], contents: BundleContents) {
  const of = (how: LossSource, others: readonly ListedProduct[] = []) => ({ how, others });
  if (!isSettled(order)) return of('not paid');
  if (isGrantedOrder(order)) return of('granted');
  if (removed.some(({ kind }) => kind === 'bundle')) return of('bought with the bundle');
  const bundles = order.products.filter(({ kind }) => kind === 'bundle');
  const containing = (isIn: boolean | undefined) =>
    bundles.filter((bundle) => removed.some(({ ref }) => contents(order, bundle.ref, ref) === isIn));
  const [sure, perhaps] = [containing(true), containing(undefined)];
  if (sure.length > 0) return of('bought with another bundle', sure);
  return perhaps.length > 0 ? of('bought, perhaps with another bundle', perhaps) : of('bought separately');
}

function lossesOf(orders: readonly SoldOrder[], isGone: (order: SoldOrder, ref: string) => boolean) {
  const contents = bundleContents(orders);
  return [...orders].sort(newestFirst).flatMap((order) => {
    const products = order.products.filter(({ ref }) => isGone(order, ref));
    const kept = order.products.filter((one) => !products.includes(one));
    return products.length === 0 ? [] : [{ order, products, kept, ...sourceOf(order, products, contents) }];
  });
}

export type OrderLoss = ReturnType<typeof lossesOf>[number];

export function orderLosses(orders: readonly SoldOrder[], refs: Iterable<string>): OrderLoss[] {
  const removed = new Set(refs);
  return lossesOf(orders, (_order, ref) => removed.has(ref));
}

/** What each order listed before and no longer lists. An order that is missing afterwards shows nothing. */
export function lossesBetween(before: readonly SoldOrder[], after: readonly SoldOrder[]): OrderLoss[] {
  const now = new Map(after.map((order) => [order.id, order]));
  return lossesOf(before, ({ id }, ref) => {
    const left = now.get(id);
    return left !== undefined && !holds(left, ref);
  });
}

/** The losses by how the student got the products, the source with the removed bundle first. */
export function lossesBySource(losses: readonly OrderLoss[]): { how: LossSource; losses: readonly OrderLoss[] }[] {
  const groups = sources.map((how) => ({ how, losses: losses.filter((loss) => loss.how === how) }));
  return groups.filter((group) => group.losses.length > 0);
}

/** What enroll_student can grant again: a bundle includes its products, and a download comes only in a bundle. */
export function grantable(losses: readonly OrderLoss[]) {
  const isBundle = ({ kind }: ListedProduct) => kind === 'bundle';
  const settled = losses
    .filter(({ how }) => how !== 'not paid')
    .flatMap(({ products }) => (products.some(isBundle) ? products.filter(isBundle) : products));
  const products = uniqueByRef(settled);
  const ids = (wanted: ProductKind) => products.flatMap(({ kind, id }) => (kind === wanted ? [id] : []));
  return { courses: ids('course'), bundles: ids('bundle'), downloads: ids('digital_product') };
}

/** What a revocation takes: the product and, of a bundle, what orders show of its contents. */
export function refsOfRevocation(orders: readonly SoldOrder[], product: ListedProduct): string[] {
  return [product.ref, ...contentsOf(orders, product).map(({ ref }) => ref)];
}

/** The values that a revocation overwrites: the orders that list the product, and what can be granted again. */
export function accessBefore(orders: readonly SoldOrder[], product: ListedProduct): OldValues {
  const losses = orderLosses(orders, refsOfRevocation(orders, product));
  const { courses, bundles } = grantable(losses);
  return { values: { orders: losses.map(({ order }) => order.id), courses, bundles } };
}

const loses = ({ products }: OrderLoss, ref: string) => products.some((product) => product.ref === ref);

/** Bundles, then courses, then downloads; each by id. */
function compare(one: ListedProduct, other: ListedProduct): number {
  const rank = ({ kind }: ListedProduct) => (kind === 'bundle' ? -1 : productKinds.indexOf(kind));
  return rank(one) - rank(other) || one.id - other.id;
}

/** The losses by product. An order is named once for each product, but an order of a bundle only at the bundle. */
export function lossesByProduct(losses: readonly OrderLoss[]) {
  const products = uniqueByRef(losses.flatMap((loss) => loss.products)).sort(compare);
  return products.map((product) => {
    const own = losses.filter((loss) => loses(loss, product.ref));
    const isThrough = ({ kind, ref }: ListedProduct) =>
      kind === 'bundle' && losses.every((loss) => !loses(loss, ref) || own.includes(loss));
    /** Bundles with which it came on each of their orders. */
    const bundles = product.kind === 'bundle' ? [] : products.filter(isThrough);
    /** The orders that lose it, without those of `bundles`: newest first. */
    const orders = own.filter(({ order }) => !bundles.some(({ ref }) => holds(order, ref)));
    return { product, bundles, orders };
  });
}

/** One write of an offboarding, named like the tool that makes it alone. */
export interface OffboardingStep {
  readonly tool: 'revoke_bundle' | 'revoke_course' | 'revoke_role' | 'unenroll_student';
  /** Undefined for `unenroll_student`. */
  readonly id?: number | undefined;
  readonly title?: string | undefined;
  /** Needed only if revoking a bundle leaves it. */
  readonly isConditional?: boolean;
}

interface Held {
  readonly orders: readonly SoldOrder[];
  readonly holdings: readonly Holding[];
  /** Roles to revoke: the API does not show which ones a student has. */
  readonly roles: readonly Pick<ListedProduct, 'id' | 'title'>[];
  readonly isPaying: boolean | undefined;
}

/** Plans to take everything that a student holds. A further plan after a partial failure has only the steps that are left. */
export function planOffboarding({ orders, holdings, roles, isPaying }: Held) {
  const ofKind = (kind: Holding['kind']) => holdings.filter((one) => one.kind === kind);
  const bundles = ofKind('bundle');
  const contents = new Set(bundles.flatMap((bundle) => contentsOf(orders, bundle).map(({ ref }) => ref)));
  const courses = ofKind('course');
  const refs = new Set([...contents, ...[...bundles, ...courses].map(({ ref }) => ref)]);
  // Bundles first, since they take courses with them.
  const steps: OffboardingStep[] = [
    ...bundles.map(({ id, title }) => ({ tool: 'revoke_bundle', id, title }) as const),
    ...courses.map(({ id, title, ref }) => {
      return { tool: 'revoke_course', id, title, isConditional: contents.has(ref) } as const;
    }),
    ...roles.map(({ id, title }) => ({ tool: 'revoke_role', id, title }) as const),
    ...(isPaying === false ? [] : [{ tool: 'unenroll_student' } as const]),
  ];
  return {
    steps,
    refs: [...refs],
    downloads: ofKind('digital_product').filter(({ ref }) => !contents.has(ref)),
    unpaid: orders.filter((order) => !isSettled(order) && order.products.some(({ ref }) => !refs.has(ref))),
  };
}

export function stepName({ tool, id }: OffboardingStep): string {
  return id === undefined ? tool : `${tool} ${id}`;
}
