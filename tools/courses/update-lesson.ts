import * as z from 'zod';
import { updateLesson as operation } from '../../src/contract/courses.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { changedFields } from '../written.ts';
import { lessonOutput, presentLesson } from './lesson-answer.ts';

export const updateLesson = defineApiTool({
  name: 'update_lesson',
  toolset: 'courses',
  title: 'Update a lesson',
  description:
    'Changes the given fields of a lesson and no others; also moves it (module_id, sequence) and publishes it. Students see it at once. No undo: read its place with get_course_structure first; an overwritten body is lost. Returns what changed and the lesson without body. For a new lesson use create_lesson. One request, and one with module_id.',
  operation,
  output: writeOutput({ lesson_id: z.int(), changed: z.array(z.string()), ...lessonOutput }),
  present: (lesson, input) => {
    const facts = { lesson_id: input.lesson_id, changed: changedFields(operation, input) };
    return presentLesson('Updated', lesson, facts, 'get_course_structure shows its place, title and publication');
  },
});
