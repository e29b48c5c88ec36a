import { Records } from './collections.ts';

export interface StudentRecord {
  readonly id: number;
  name: string;
  readonly email: string;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  readonly location: string | null;
  readonly facebook_link: string | null;
  readonly twitter_link: string | null;
  enrolled: boolean;
  readonly admin: boolean;
  readonly is_active: boolean;
  sign_in_count: number;
  points: number;
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

  /** Adds a new student without activity. */
  join(person: { email: string; name: string; createdAt: number }): StudentRecord {
    return this.add({
      id: this.nextId(),
      name: person.name,
      email: person.email,
      created_at: person.createdAt,
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

/** An answer to the assignment of a lesson. */
export interface AnswerRecord {
  readonly id: number;
  readonly student_id: number;
  readonly lesson_id: number;
  readonly question: string;
  readonly answer: string;
  readonly created_at: number;
}

export interface ProjectPostRecord {
  readonly id: number;
  readonly student_id: number;
  readonly project_id: number;
  readonly title: string;
  readonly content: string;
  readonly created_at: number;
}
