import * as z from 'zod';
import {
  courseId,
  describedOnce,
  flag,
  id,
  integer,
  shapedElsewhere,
  title,
} from '../../src/contract/schemas/input-fields.ts';
import { largestInteger } from '../../src/contract/schemas/lesson.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';

const maxLessons = 2_000;
const lessonId = describedOnce(id('Lesson id, from get_course_structure'));
const moduleId = describedOnce(id('Module id, from get_course_structure'));
const lessonIds = z.array(lessonId).max(maxLessons);

/** The requested changes of a course, in one of two forms. */
export const outlineArguments = {
  course_id: courseId,
  outline: z
    .strictObject({
      modules: z.array(z.strictObject({ module_id: moduleId, lesson_ids: lessonIds })).max(500),
      ungrouped_lesson_ids: lessonIds.describe('Lessons in no module'),
      // Nobody writes these by hand: they come back from undo_outline.
      sequences: z
        .array(describedOnce(integer(0, largestInteger, 'Sequence number')))
        .max(maxLessons)
        .optional(),
    })
    .describe('The whole course: every lesson once, in its order; modules cannot be moved. This or moves')
    .optional(),
  moves: z
    .array(
      z.strictObject({
        lesson_id: lessonId,
        // Without nonoptional, JSON Schema lists a preprocessed field as optional.
        module_id: moduleId.nullable().nonoptional().describe('null for no module'),
        position: integer(1, maxLessons, 'Final place in that module, from 1'),
      }),
    )
    .max(maxLessons)
    .describe('Only what moves; others keep their order. This or outline')
    .optional(),
  lessons: z
    .array(
      z.strictObject({
        lesson_id: lessonId,
        title: describedOnce(title('New title')).optional(),
        is_published: describedOnce(flag('Whether students see it')).optional(),
      }),
    )
    .max(maxLessons)
    .describe('Titles and publication to change, with or without an order')
    .optional(),
};

/** The same arguments where plan_course_outline lists their shapes. */
export const outlineAsPlanned = {
  ...outlineArguments,
  outline: shapedElsewhere(outlineArguments.outline),
  moves: shapedElsewhere(outlineArguments.moves),
  lessons: shapedElsewhere(outlineArguments.lessons),
};

type OutlineArguments = z.output<z.ZodObject<typeof outlineArguments>>;

/** Throws `invalid_input` for both forms of an order at once, and for no change at all. */
export function checkForm({ outline, moves, lessons }: OutlineArguments): void {
  if (outline !== undefined && moves !== undefined) throw refuseInput(['give only one of outline and moves']);
  if (outline === undefined && moves === undefined && lessons === undefined)
    throw refuseInput(['give outline, moves or lessons']);
}
