import type { Academy } from '../state/academy.ts';
import type { StudentRecord } from '../state/students.ts';
import { studentIdentity } from '../views/student.ts';

/** Adds a student at the current time and emits new_student. */
export function registerStudent(academy: Academy, person: { email: string; name: string }): StudentRecord {
  const student = academy.students.join({ ...person, createdAt: academy.now().getTime() });
  academy.emit('new_student', () => studentIdentity(student));
  return student;
}
