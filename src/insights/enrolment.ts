import { buyerKey } from './sold-order.ts';

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

/** How a person stands before it; undefined fields are not known. */
export interface Standing {
  readonly isStudent: boolean;
  readonly holdsCourse: boolean;
  readonly holdsBundle: boolean;
}

export type Step =
  | { readonly do: 'enroll'; readonly person: Person; readonly isNew: boolean; readonly grant: Grant }
  | { readonly do: 'skip' | 'refuse'; readonly person: Person; readonly why: string };

/** Only what is missing is granted: an order cannot be deleted. */
function missing({ course_id, bundle_id }: Grant, { holdsCourse, holdsBundle }: Standing): Grant {
  return {
    ...(course_id === undefined || holdsCourse ? {} : { course_id }),
    ...(bundle_id === undefined || holdsBundle ? {} : { bundle_id }),
  };
}

function stepFor({ email, name }: Person, grant: Grant, standing: Standing): Step {
  const { isStudent } = standing;
  const due = missing(grant, standing);
  if (Object.keys(due).length === 0) return { do: 'skip', person: { email }, why: 'holds it already' };
  if (isStudent) return { do: 'enroll', person: { email }, isNew: false, grant: due };
  if (name === undefined) return { do: 'refuse', person: { email }, why: 'a new student needs a name' };
  return { do: 'enroll', person: { email, name }, isNew: true, grant: due };
}

/**
 * What has to be done for each person of a list, in its order; each email once, without regard to case. The name of a
 * student who is there already is left as it is. `standingOf` knows every one of them.
 */
export function planEnrolment(
  people: readonly Person[],
  grant: Grant,
  standingOf: (person: Person) => Standing,
): Step[] {
  const seen = new Set<string>();
  return people.map((person): Step => {
    const key = buyerKey(person.email);
    if (seen.has(key)) return { do: 'skip', person: { email: person.email }, why: 'is in the list twice' };
    seen.add(key);
    return stepFor(person, grant, standingOf(person));
  });
}

/** "course 7 and bundle 2". */
export function grantText({ course_id, bundle_id }: Grant): string {
  const parts = [
    ...(course_id === undefined ? [] : [`course ${course_id}`]),
    ...(bundle_id === undefined ? [] : [`bundle ${bundle_id}`]),
  ];
  return parts.join(' and ');
}
