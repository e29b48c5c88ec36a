import * as z from 'zod';
import { updateLesson as operation } from '../../src/contract/courses.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { changedFields } from '../write-result.ts';
import { lessonOutput, presentLesson } from './lesson-answer.ts';

export const updateLesson = defineApiTool({
  name: 'update_lesson',
  toolset: 'courses',
  title: 'Update a lesson',
  description:
    'Changes only the given fields of a lesson; also moves it (module_id, sequence) and publishes it. Students see it at once. No undo: first read its place with get_course_structure; an overwritten body is lost. Returns the changed fields and the lesson without body. For a new lesson use create_lesson.',
  cost: { requests: 1, plus: [{ requests: 1, when: 'with module_id' }] },
  example: { lesson_id: 1077, title: 'Sensitivity and noise', is_published: true },
  operation,
  output: writeOutput({ lesson_id: z.int(), changed: z.array(z.string()), ...lessonOutput }),
  present: (lesson, input) => {
    const facts = { lesson_id: input.lesson_id, changed: changedFields(operation, input) };
    return presentLesson('Updated', lesson, facts, 'get_course_structure shows its place, title and publication');
  },
});
