import * as z from 'zod';
import { updateLesson as operation } from '../../src/contract/courses.ts';
import { lesson as lessonRecord } from '../../src/contract/schemas/lesson.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { changesOutput, fieldChanges, type UpdateFacts, withOldValues } from '../field-changes.ts';
import { lessonOutput, presentLesson } from './lesson-result.ts';

export const updateLesson = defineApiTool({
  name: 'update_lesson',
  toolset: 'courses',
  title: 'Update a lesson',
  description:
    'Changes (edits) one lesson: renames it (typo), replaces its text, description, video link, drip days, publishes or hides it; students see it at once. To move lessons: plan_course_outline. An overwritten body is lost. Returns old -> new if get_course_structure has shown the lesson.',
  cost: { once: 1, 'if its course was read': 1, 'with module_id': 1 },
  example: { lesson_id: 1077, title: 'Sensitivity and noise', is_published: true },
  operation,
  output: writeOutput({ lesson_id: z.int(), ...changesOutput, ...lessonOutput }),
  around: withOldValues(operation),
  present: (lesson, input, _titles, before: UpdateFacts) => {
    const facts = { lesson_id: input.lesson_id, ...fieldChanges(operation, lessonRecord, input, before) };
    return presentLesson('Updated', lesson, facts, 'get_course_structure shows its place, title and publication');
  },
});
