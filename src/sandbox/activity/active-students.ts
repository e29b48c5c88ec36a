import type { Random } from '../seed/random.ts';
import type { Academy } from '../state/academy.ts';
import type { StudentRecord } from '../state/students.ts';

const tries = 12;

/** A few students drawn at random; the same one may come twice. Ids run from 1 without gaps. */
export function randomStudents({ students }: Academy, random: Random): StudentRecord[] {
  if (students.size === 0) return [];
  return Array.from({ length: tries }, () => students.get(random.integer(1, students.size))).filter(
    (student) => student !== undefined,
  );
}

/** The student of a happening: doing it takes a visit. */
export function recordVisit({ students }: Academy, email: string): StudentRecord {
  const student = students.withEmail(email);
  if (student === undefined) throw new Error(`there is no student ${email}`);
  student.sign_in_count += 1;
  return student;
}
