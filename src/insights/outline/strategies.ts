import type { Course } from './course.ts';
import type { LessonChange, Written } from './lesson-changes.ts';
import type { Write } from './lesson-write.ts';
import { planWrites } from './plan.ts';
import { positionalWrites } from './positional.ts';
import { renumberWrites } from './renumber.ts';
import type { Target } from './target.ts';

/** From a course as it has just been read to the writes that should bring it to the target. */
export type Strategy = (
  course: Course,
  target: Target,
  changes?: readonly LessonChange[],
  written?: Written,
) => Write[];

/**
 * What to try, one after the other, with a reading before each, until `matches` says that the target is reached. Where
 * it is not after the last, it cannot be: somebody else is at work, or the API means something else by `sequence`.
 */
export const strategies: readonly Strategy[] = [planWrites, positionalWrites, renumberWrites];
