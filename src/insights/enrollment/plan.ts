import { title } from '../../contract/schemas/input-fields.ts';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import { type ProductKind, productRef } from '../sales/products-in-order.ts';
import { buyerKey } from '../sales/sold-order.ts';
import { type Held, type HoldingEvidence, whoHolds } from '../students/holdings.ts';

/** An entry of a list that cannot be enrolled, whatever the academy knows. */
export interface BadEntry {
  readonly number: number;
  readonly email: string;
  readonly why: string;
}

const name = title('');

/** Why somebody cannot be enrolled, whatever the academy knows. */
export function entryProblem(person: Person): string | undefined {
  if (!studentEmail.safeParse(person.email).success) return 'not an email';
  const wrong = person.name === undefined ? undefined : name.safeParse(person.name).error?.issues[0]?.message;
  // A message names the requirement, or after a colon the problem.
  return wrong === undefined ? undefined : `name${wrong.startsWith(':') ? '' : ' '}${wrong}`;
}

/** Separates the entries that can be looked up from those that are wrong in themselves. */
export function checkEntries(entries: readonly Person[]): { people: Person[]; bad: BadEntry[] } {
  const people: Person[] = [];
  const bad: BadEntry[] = [];
  for (const [index, person] of entries.entries()) {
    const why = entryProblem(person);
    if (why === undefined) people.push(person);
    else bad.push({ number: index + 1, email: person.email, why });
  }
  return { people, bad };
}

export interface Person {
  readonly email: string;
  readonly name?: string | undefined;
}

/** The products to grant; at least one of the two. */
export interface Grant {
  readonly course_id?: number | undefined;
  readonly bundle_id?: number | undefined;
}

export interface Holdings {
  /** Undefined: not known. */
  readonly isStudent: boolean | undefined;
  readonly name?: string | undefined;
  /** Undefined: not known. */
  readonly holdsCourse: boolean | undefined;
  readonly holdsBundle: boolean | undefined;
  /** Of something held: when this server gave it, if the API does not show it yet. */
  readonly recent?: string | undefined;
  readonly why?: string | undefined;
}

export interface IdleStep {
  readonly do: 'skip' | 'doubt' | 'refuse';
  /** Skipped because they already hold everything. */
  readonly isHeld?: true;
  readonly person: Person;
  readonly why: string;
}

export interface EnrollStep {
  readonly do: 'enroll';
  readonly person: Person;
  readonly isNew: boolean;
  /** Whether they hold it, or are new, is not known. */
  readonly isDoubtful: boolean;
  readonly grant: Grant;
}

export type Step = EnrollStep | IdleStep;

/** Why nothing is sent for somebody who is seen to hold it. Any other reason is shown with the person. */
export const alreadyHeld = 'already holds it';

/** Grants only what is missing: an order cannot be deleted. */
function missing({ course_id, bundle_id }: Grant, { holdsCourse, holdsBundle }: Holdings): Grant {
  return {
    ...(course_id === undefined || holdsCourse ? {} : { course_id }),
    ...(bundle_id === undefined || holdsBundle ? {} : { bundle_id }),
  };
}

export interface Line {
  readonly person: Person;
  /** An earlier line has the same email, ignoring case. */
  readonly isDuplicate: boolean;
}

/** The lines of a list, in order. A person with several lines gets the first name that any of them gives. */
export function linesOf(people: readonly Person[]): Line[] {
  const names = new Map<string, string>();
  for (const { email, name } of people) {
    const key = buyerKey(email);
    if (name !== undefined && !names.has(key)) names.set(key, name);
  }
  const seen = new Set<string>();
  return people.map(({ email }) => {
    const key = buyerKey(email);
    const isDuplicate = seen.has(key);
    seen.add(key);
    return { person: { email, name: names.get(key) }, isDuplicate };
  });
}

export function stepForDuplicate({ email }: Person): IdleStep {
  return { do: 'skip', person: { email }, why: 'is in the list twice' };
}

/** Whether the person may hold something that is due, or may be a student, because it is not known. */
function isInDoubt(due: Grant, { isStudent, holdsCourse, holdsBundle }: Holdings): boolean {
  const isOpen = (id: number | undefined, held: boolean | undefined) => id !== undefined && held === undefined;
  return isStudent === undefined || isOpen(due.course_id, holdsCourse) || isOpen(due.bundle_id, holdsBundle);
}

/** Keeps the name of an existing or possible student. What is not known is sent only with `includesDoubtful`. */
export function stepFor({ email, name }: Person, grant: Grant, holdings: Holdings, includesDoubtful = false): Step {
  const { isStudent, why = 'what they hold is not known', recent = alreadyHeld } = holdings;
  const due = missing(grant, holdings);
  if (Object.keys(due).length === 0) return { do: 'skip', isHeld: true, person: { email }, why: recent };
  const isDoubtful = isInDoubt(due, holdings);
  if (isDoubtful && !includesDoubtful) return { do: 'doubt', person: { email }, why };
  // The same name changes nothing, and keeps the call identical to an earlier one of unknown outcome that may have created the student.
  const person = isStudent !== false && name !== holdings.name ? { email } : { email, name };
  if (isStudent !== false) return { do: 'enroll', person, isNew: false, isDoubtful, grant: due };
  if (name === undefined) return { do: 'refuse', person: { email }, why: 'a new student needs a name' };
  return { do: 'enroll', person, isNew: true, isDoubtful, grant: due };
}

/** The step for each line of a list, in order. `holdingsOf` must know every person. */
export function planEnrollment(
  people: readonly Person[],
  grant: Grant,
  holdingsOf: (person: Person) => Holdings,
  includesDoubtful = false,
): Step[] {
  return linesOf(people).map(({ person, isDuplicate }) =>
    isDuplicate ? stepForDuplicate(person) : stepFor(person, grant, holdingsOf(person), includesDoubtful),
  );
}

export interface StudentEvidence extends HoldingEvidence {
  /** Undefined: not known. */
  readonly isStudent: boolean | undefined;
  readonly name: string | undefined;
  readonly unread: string | undefined;
}

/** Known titles of the course and bundle to grant. */
export type GrantTitles = Partial<Record<string, string>>;

const maxDoubts = 2;

const isHeld = (one: Held | undefined) => (one?.state === 'perhaps' ? undefined : one?.state === 'holds');

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
