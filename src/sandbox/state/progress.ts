const nothing: readonly number[] = [];

/** The lessons that each student completed, by course. They outlast access and end with a reset. */
export class Progress {
  readonly #byStudent = new Map<number, Map<number, readonly number[]>>();

  /** Ids of completed lessons, in the order of completion. */
  completed(studentId: number, courseId: number): readonly number[] {
    return this.#byStudent.get(studentId)?.get(courseId) ?? nothing;
  }

  /** The number of lessons completed in all courses. */
  count(studentId: number): number {
    let total = 0;
    for (const lessons of this.#byStudent.get(studentId)?.values() ?? []) total += lessons.length;
    return total;
  }

  /** Stores the list itself and never changes it: in the seed, many students share one. */
  set(studentId: number, courseId: number, lessonIds: readonly number[]): void {
    const courses = this.#byStudent.get(studentId);
    if (courses === undefined) this.#byStudent.set(studentId, new Map([[courseId, lessonIds]]));
    else courses.set(courseId, lessonIds);
  }

  complete(studentId: number, courseId: number, lessonId: number): void {
    const before = this.completed(studentId, courseId);
    if (!before.includes(lessonId)) this.set(studentId, courseId, [...before, lessonId]);
  }

  reset(studentId: number, courseId: number): void {
    this.#byStudent.get(studentId)?.delete(courseId);
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
