import { title } from '../../contract/schemas/input-fields.ts';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import type { Person } from './plan.ts';

/** An entry of a list that cannot be enrolled, whatever the academy knows. */
export interface BadEntry {
  /** Its number in the list, from 1. */
  readonly number: number;
  readonly email: string;
  readonly why: string;
}

const name = title('');

function problemOf(person: Person): string | undefined {
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
    const why = problemOf(person);
    if (why === undefined) people.push(person);
    else bad.push({ number: index + 1, email: person.email, why });
  }
  return { people, bad };
}
