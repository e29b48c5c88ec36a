/** The outline of a course. " | " separates the lessons of a line. */
export interface CourseText {
  readonly id: number;
  readonly title: string;
  readonly price: string;
  /** Its sales relative to other courses. */
  readonly demand: number;
  readonly pitch: string;
  readonly modules: readonly (readonly [title: string, lessons: string])[];
  /** Lessons outside any module. */
  readonly ungrouped: string;
  /** "draft": unpublished. "bundles": sold only in bundles. */
  readonly sale?: 'draft' | 'bundles';
  readonly daysOfAccess?: number;
}

export function lessonTitles(line: string): string[] {
  return line === '' ? [] : line.split(' | ');
}
