import type * as z from 'zod';
import type { student } from '../../contract/students.ts';
import { Records } from './collections.ts';

/** A student as the list shows it, and what only other responses show. */
export interface StudentRecord extends Omit<z.infer<typeof student>, 'created_at' | 'completion_percent'> {
  /** Milliseconds since 1970. */
  readonly created_at: number;
  paying_student: boolean;
  lesson_views_count: number;
  role_ids: readonly number[];
}

/** All students. Lookup by email ignores case. */
export class StudentRegister extends Records<StudentRecord> {
  readonly #byEmail = new Map<string, StudentRecord>();

  withEmail(email: string): StudentRecord | undefined {
    return this.#byEmail.get(email.toLowerCase());
  }

  override add(student: StudentRecord): StudentRecord {
    this.#byEmail.set(student.email.toLowerCase(), student);
    return super.add(student);
  }

  join({ name, email, createdAt }: { name: string; email: string; createdAt: number }): StudentRecord {
    return this.add({
      id: this.nextId(),
      name,
      email,
      created_at: createdAt,
      location: null,
      facebook_link: null,
      twitter_link: null,
      enrolled: true,
      admin: false,
      is_active: true,
      sign_in_count: 0,
      points: 0,
      paying_student: true,
      lesson_views_count: 0,
      role_ids: [],
    });
  }
}

/** The lessons that each student completed, by course. They outlast access and end with a reset. */
export class Progress {
  readonly #byStudent = new Map<number, Map<number, readonly number[]>>();

  /** Ids of completed lessons, in the order of completion. */
  completed(studentId: number, courseId: number): readonly number[] {
    return this.#byStudent.get(studentId)?.get(courseId) ?? [];
  }

  /** The number of lessons completed in all courses. */
  count(studentId: number): number {
    return [...(this.#byStudent.get(studentId)?.values() ?? [])].flat().length;
  }

  set(studentId: number, courseId: number, lessonIds: readonly number[]): void {
    const courses = this.#byStudent.get(studentId) ?? new Map<number, readonly number[]>();
    this.#byStudent.set(studentId, courses.set(courseId, lessonIds));
  }

  complete(studentId: number, courseId: number, lessonId: number): void {
    this.set(studentId, courseId, [...new Set([...this.completed(studentId, courseId), lessonId])]);
  }

  reset(studentId: number, courseId: number): void {
    this.set(studentId, courseId, []);
  }
}

interface Contribution {
  readonly id: number;
  readonly student_id: number;
  readonly created_at: number;
}

export interface AnswerRecord extends Contribution {
  readonly lesson_id: number;
  readonly question: string;
  readonly answer: string;
}

export interface ProjectPostRecord extends Contribution {
  readonly project_id: number;
  readonly title: string;
  readonly content: string;
}
