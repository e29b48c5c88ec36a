import type { Course } from './course.ts';
import type { LessonChange, Written } from './lesson-changes.ts';
import type { Write } from './lesson-write.ts';
import type { Target } from './target.ts';

/** Returns the writes that should bring a course, as just read, to its target. */
export type Strategy = (
  course: Course,
  target: Target,
  changes?: readonly LessonChange[],
  written?: Written,
) => Write[];
