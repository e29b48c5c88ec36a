import { type ProductKind, productRef } from '../sales/product-ref.ts';
import { type Held, type HoldingEvidence, whoHolds } from '../students/holdings.ts';
import type { Grant, Holdings } from './plan.ts';

/** What was read about one student. */
export interface StudentEvidence extends HoldingEvidence {
  /** Undefined: not known. */
  readonly isStudent: boolean | undefined;
  readonly name: string | undefined;
  /** Why the details could not be read. */
  readonly unread: string | undefined;
}

/** Known titles of the course and bundle to grant. */
export type GrantTitles = Partial<Record<string, string>>;

const maxDoubts = 2;

const isHeld = (one: Held | undefined) => (one?.state === 'perhaps' ? undefined : one?.state === 'holds');

/** Judges what a student already holds of a grant. */
export function judgeHoldings(
  evidence: StudentEvidence,
  { course_id, bundle_id }: Grant,
  titles: GrantTitles = {},
): Holdings {
  const judged = (kind: ProductKind, id: number | undefined, title: string | undefined): Held | undefined =>
    id === undefined ? undefined : whoHolds({ ref: productRef(kind, id), kind, id, title }, evidence);
  const course = judged('course', course_id, titles.course_id);
  const bundle = judged('bundle', bundle_id, titles.bundle_id);
  const recent = course?.recent ?? bundle?.recent;
  const doubts = [course, bundle].flatMap((one) => (one?.state === 'perhaps' ? one.doubts.slice(0, maxDoubts) : []));
  const unread =
    evidence.isStudent === undefined ? `whether they are a student could not be read (${evidence.unread})` : [];
  const reasons = new Set(doubts.concat(unread));
  return {
    isStudent: evidence.isStudent,
    name: evidence.name,
    holdsCourse: isHeld(course),
    holdsBundle: isHeld(bundle),
    ...(recent === undefined ? {} : { recent }),
    ...(reasons.size === 0 ? {} : { why: [...reasons].join('; ') }),
  };
}

/** Whether everything that the enrollment depends on is known. */
export function isCertain({ isStudent, holdsCourse, holdsBundle }: Holdings): boolean {
  return [isStudent, holdsCourse, holdsBundle].every((known) => known !== undefined);
}
