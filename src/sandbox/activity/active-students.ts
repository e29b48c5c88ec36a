import type { Random } from '../seed/random.ts';
import type { Academy } from '../state/academy.ts';
import type { StudentRecord } from '../state/students.ts';

const draws = 12;

/** Draws a few students at random, perhaps one of them twice. Ids run from 1 without gaps. */
export function randomStudents({ students }: Academy, random: Random): StudentRecord[] {
  if (students.size === 0) return [];
  return Array.from({ length: draws }, () => students.get(random.integer(1, students.size))).filter(
    (student) => student !== undefined,
  );
}

/** Finds the student of an activity and counts a sign-in. */
export function recordVisit({ students }: Academy, email: string): StudentRecord {
  const student = students.withEmail(email);
  if (student === undefined) throw new Error(`there is no student ${email}`);
  student.sign_in_count += 1;
  return student;
}
