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
  const isUsable = person.name === undefined || name.safeParse(person.name).success;
  return isUsable ? undefined : 'the name is blank or has invisible characters';
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
