import { type ProductKind, productRef } from '../sales/product-ref.ts';
import { type Held, type HeldEvidence, judgeHeld } from '../students/holds-product.ts';
import type { Grant, Holdings } from './plan.ts';

/** What a look at one person has shown. */
export interface Look extends HeldEvidence {
  /** Undefined: it cannot be told. */
  readonly isStudent: boolean | undefined;
  readonly name: string | undefined;
  /** Why their details could not be read. */
  readonly unread: string | undefined;
}

/** Titles of what is to be granted, where they are known. */
export type GrantTitles = Partial<Record<string, string>>;

const nothing: Held = { held: false };

/** How a person stands before a grant, judged by what was seen of them. */
export function standingBy(look: Look, { course_id, bundle_id }: Grant, titles: GrantTitles = {}): Holdings {
  const judged = (kind: ProductKind, id: number | undefined, title: string | undefined): Held =>
    id === undefined ? nothing : judgeHeld({ ref: productRef(kind, id), kind, id, title }, look);
  const course = judged('course', course_id, titles.course_id);
  const bundle = judged('bundle', bundle_id, titles.bundle_id);
  const unread = look.isStudent === undefined ? `whether they are a student could not be read (${look.unread})` : [];
  const reasons = new Set([course, bundle].flatMap((one) => (one.held === undefined ? one.why : [])).concat(unread));
  return {
    isStudent: look.isStudent,
    name: look.name,
    holdsCourse: course.held,
    holdsBundle: bundle.held,
    ...(reasons.size === 0 ? {} : { why: [...reasons].join('; ') }),
  };
}

/** Whether everything that a write depends on is known. */
export function isCertain({ isStudent, holdsCourse, holdsBundle }: Holdings): boolean {
  return [isStudent, holdsCourse, holdsBundle].every((known) => known !== undefined);
}
