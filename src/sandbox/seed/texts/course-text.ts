/** A course as its author would sketch it. Lessons stand in one line, parted by " | ". */
export interface CourseText {
  readonly id: number;
  readonly title: string;
  readonly price: string;
  /** How much it sells, beside the others. */
  readonly demand: number;
  readonly pitch: string;
  readonly modules: readonly (readonly [title: string, lessons: string])[];
  /** Lessons that stand in no module. */
  readonly ungrouped: string;
  /** "draft" is unpublished; "bundles" is sold in bundles only. */
  readonly sale?: 'draft' | 'bundles';
  readonly daysOfAccess?: number;
}

export function lessonTitles(line: string): string[] {
  return line === '' ? [] : line.split(' | ');
}
