import type { Academy } from '../state/academy.ts';
import type { StudentRecord } from '../state/students.ts';
import { studentIdentity } from '../views/student.ts';

/** A new student joins now; new_student goes out. */
export function registerStudent(academy: Academy, person: { email: string; name: string }): StudentRecord {
  const student = academy.students.join({ ...person, createdAt: academy.now().getTime() });
  academy.emit('new_student', () => studentIdentity(student));
  return student;
}
