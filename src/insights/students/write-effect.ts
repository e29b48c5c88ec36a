import { holds, type ProductKind, type SoldOrder } from '../sales/sold-order.ts';
import type { CoursesInDetails } from './courses-in-details.ts';

/** Whether one thing that a write removes was there before it, and is there after it. Undefined: not known. */
interface Sight {
  readonly before: boolean | undefined;
  readonly after: boolean | undefined;
}

/**
 * What reading back shows of a write. `done`: something went. `was_so`: nothing was there before, which proves nothing.
 * `still`: something is still there. `open`: it was not read.
 */
type VisibleEffect = 'done' | 'was_so' | 'still' | 'open';

/** The one rule for all writes that take something away. */
export function visibleEffect(sights: readonly Sight[]): VisibleEffect {
  if (sights.some(({ after }) => after === true)) return 'still';
  const isOpen = sights.length === 0 || sights.some(({ before, after }) => before === undefined || after === undefined);
  if (isOpen) return 'open';
  return sights.some(({ before }) => before === true) ? 'done' : 'was_so';
}

/** The outcome of a write that the API accepted. Only a seen change is verified. */
export function effectFacts(effect: VisibleEffect): { readonly outcome: string; readonly verified: boolean } {
  const outcome = { done: 'applied', open: 'applied', was_so: 'already_there', still: 'outcome_unknown' }[effect];
  return { outcome, verified: effect === 'done' };
}

/** What was read of a student at one moment. */
export interface AccessReading {
  readonly orders: readonly SoldOrder[];
  readonly shown: CoursesInDetails | undefined;
  /** Nothing of the orders or the details is missing. */
  readonly isWhole: boolean;
}

/** The places that list a product: "order 1f2e", "the details of the student". */
export function placesListing({ orders, shown }: AccessReading, ref: string): string[] {
  const isShown = shown?.courses.some((course) => course.ref === ref) === true;
  const listing = orders.filter((order) => holds(order, ref)).map(({ id }) => `order ${id}`);
  return [...listing, ...(isShown ? ['the details of the student'] : [])];
}

/** Whether anything lists a product; `false` only if every order and every entry of the details could be read. */
export function isListedAnywhere(reading: AccessReading, kind: ProductKind, ref: string): boolean | undefined {
  if (placesListing(reading, ref).length > 0) return true;
  const { orders, shown, isWhole } = reading;
  const isRead =
    orders.every(({ unread }) => !unread.includes(kind)) && (kind !== 'course' || shown?.isWhole !== false);
  return isWhole && isRead ? false : undefined;
}
