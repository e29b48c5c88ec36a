import { buyerKey } from '../sales/sold-order.ts';

/** Whom to enroll. */
export interface Person {
  readonly email: string;
  readonly name?: string | undefined;
}

/** What they are to hold; at least one of the two. */
export interface Grant {
  readonly course_id?: number | undefined;
  readonly bundle_id?: number | undefined;
}

/** How a person stands before it. */
export interface Holdings {
  /** Undefined: it cannot be told. */
  readonly isStudent: boolean | undefined;
  /** As the academy has it. */
  readonly name?: string | undefined;
  /** Undefined: it cannot be told. */
  readonly holdsCourse: boolean | undefined;
  readonly holdsBundle: boolean | undefined;
  /** Why something cannot be told. */
  readonly why?: string | undefined;
}

/** For whom nothing is sent. */
export interface IdleStep {
  readonly do: 'skip' | 'doubt' | 'refuse';
  /** Skipped since they hold all of it. */
  readonly isHeld?: true;
  readonly person: Person;
  readonly why: string;
}

export interface EnrollStep {
  readonly do: 'enroll';
  readonly person: Person;
  readonly isNew: boolean;
  /** Whether they lack it, or are new, cannot be told. */
  readonly isDoubtful: boolean;
  /** What they lack of what was asked for. */
  readonly grant: Grant;
}

export type Step = EnrollStep | IdleStep;

/** Only what is missing is granted: an order cannot be deleted. */
function missing({ course_id, bundle_id }: Grant, { holdsCourse, holdsBundle }: Holdings): Grant {
  return {
    ...(course_id === undefined || holdsCourse ? {} : { course_id }),
    ...(bundle_id === undefined || holdsBundle ? {} : { bundle_id }),
  };
}

/** One line of a list. */
export interface Line {
  readonly person: Person;
  /** The same email, without regard to case, stood in a line before. */
  readonly isDouble: boolean;
}

/** The lines of a list, in its order. Who stands there twice has the first name that any of their lines gives. */
export function linesOf(people: readonly Person[]): Line[] {
  const names = new Map<string, string>();
  for (const { email, name } of people) {
    const key = buyerKey(email);
    if (name !== undefined && !names.has(key)) names.set(key, name);
  }
  const seen = new Set<string>();
  return people.map(({ email }) => {
    const key = buyerKey(email);
    const isDouble = seen.has(key);
    seen.add(key);
    return { person: { email, name: names.get(key) }, isDouble };
  });
}

/** Of somebody who stood in the list before. */
export function stepOfDouble({ email }: Person): IdleStep {
  return { do: 'skip', person: { email }, why: 'is in the list twice' };
}

/** Whether anything that is due may be held, or the student may be there, for all that is known. */
function isInDoubt(due: Grant, { isStudent, holdsCourse, holdsBundle }: Holdings): boolean {
  const isOpen = (id: number | undefined, held: boolean | undefined) => id !== undefined && held === undefined;
  return isStudent === undefined || isOpen(due.course_id, holdsCourse) || isOpen(due.bundle_id, holdsBundle);
}

/**
 * What has to be done for one person. The name of a student who is there, or may be, is left as it is. Where it cannot be told
 * what they hold, nothing is done unless `includesDoubtful`.
 */
export function stepFor({ email, name }: Person, grant: Grant, holdings: Holdings, includesDoubtful = false): Step {
  const { isStudent, why = 'it cannot be told what they hold' } = holdings;
  const due = missing(grant, holdings);
  if (Object.keys(due).length === 0) return { do: 'skip', isHeld: true, person: { email }, why: 'holds it already' };
  const isDoubtful = isInDoubt(due, holdings);
  if (isDoubtful && !includesDoubtful) return { do: 'doubt', person: { email }, why };
  // The same name changes nothing, and keeps the call equal to one of unknown outcome that may have made the student.
  const person = isStudent !== false && name !== holdings.name ? { email } : { email, name };
  if (isStudent !== false) return { do: 'enroll', person, isNew: false, isDoubtful, grant: due };
  if (name === undefined) return { do: 'refuse', person: { email }, why: 'a new student needs a name' };
  return { do: 'enroll', person, isNew: true, isDoubtful, grant: due };
}

/** What has to be done for each line of a list, in its order. `holdingsOf` knows every one of them. */
export function planEnrollment(
  people: readonly Person[],
  grant: Grant,
  holdingsOf: (person: Person) => Holdings,
  includesDoubtful = false,
): Step[] {
  return linesOf(people).map(({ person, isDouble }) =>
    isDouble ? stepOfDouble(person) : stepFor(person, grant, holdingsOf(person), includesDoubtful),
  );
}

/** Writes a product with its id, such as `course 7 "Ink"`. */
export type NameProduct = (kind: 'course' | 'bundle', id: number) => string;

/** `course 7 "Ink" and bundle 2 "All"`. */
export function grantNamed({ course_id, bundle_id }: Grant, name: NameProduct): string {
  const parts = [
    ...(course_id === undefined ? [] : [name('course', course_id)]),
    ...(bundle_id === undefined ? [] : [name('bundle', bundle_id)]),
  ];
  return parts.join(' and ');
}

/** "course 7 and bundle 2". */
export function grantText(grant: Grant): string {
  return grantNamed(grant, (kind, id) => `${kind} ${id}`);
}
