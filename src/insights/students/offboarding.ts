import { isSettled, type ListedProduct, productRef, type SoldOrder } from '../sales/sold-order.ts';
import type { Holding } from './holdings.ts';
import { productsBesideBundle } from './order-losses.ts';

/** One write of an offboarding, named like the tool that makes it alone. */
export interface OffboardingStep {
  readonly tool: 'revoke_bundle' | 'revoke_course' | 'revoke_role' | 'unenroll_student';
  /** Undefined for `unenroll_student`. */
  readonly id?: number | undefined;
  readonly title?: string | undefined;
  /** Needed only if revoking a bundle leaves it. */
  readonly isConditional?: boolean;
}

export interface OffboardingPlan {
  /** In the order in which they are made: bundles first, since they take courses with them. */
  readonly steps: readonly OffboardingStep[];
  /** Products that the steps may take, as refs. */
  readonly refs: readonly string[];
  /** Downloads that no step takes. */
  readonly downloads: readonly Holding[];
  /** Unpaid orders with products that no step takes: they may still be paid. */
  readonly unpaid: readonly SoldOrder[];
}

interface Held {
  readonly orders: readonly SoldOrder[];
  readonly holdings: readonly Holding[];
  /** Roles to revoke: the API does not show which ones a student has. */
  readonly roles: readonly Pick<ListedProduct, 'id' | 'title'>[];
  readonly isPaying: boolean | undefined;
}

/** Plans to take everything that a student holds. A further plan after a partial failure has only the steps that are left. */
export function planOffboarding({ orders, holdings, roles, isPaying }: Held): OffboardingPlan {
  const ofKind = (kind: Holding['kind']) => holdings.filter((one) => one.kind === kind);
  const bundles = ofKind('bundle');
  const contents = new Set(bundles.flatMap(({ id }) => productsBesideBundle(orders, id).map(({ ref }) => ref)));
  const courses = ofKind('course');
  const refs = new Set([...contents, ...[...bundles, ...courses].map(({ kind, id }) => productRef(kind, id))]);
  return {
    steps: [
      ...bundles.map(({ id, title }) => ({ tool: 'revoke_bundle', id, title }) as const),
      ...courses.map(({ id, title, ref }) => {
        return { tool: 'revoke_course', id, title, isConditional: contents.has(ref) } as const;
      }),
      ...roles.map(({ id, title }) => ({ tool: 'revoke_role', id, title }) as const),
      ...(isPaying === false ? [] : [{ tool: 'unenroll_student' } as const]),
    ],
    refs: [...refs],
    downloads: ofKind('digital_product').filter(({ ref }) => !contents.has(ref)),
    unpaid: orders.filter((order) => !isSettled(order) && order.products.some(({ ref }) => !refs.has(ref))),
  };
}

/** "revoke_course 7". */
export function stepName({ tool, id }: OffboardingStep): string {
  return id === undefined ? tool : `${tool} ${id}`;
}
