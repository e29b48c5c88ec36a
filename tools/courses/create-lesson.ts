import { createLesson as operation } from '../../src/contract/courses.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { lessonOutput, presentLesson } from './lesson-answer.ts';

export const createLesson = defineApiTool({
  name: 'create_lesson',
  toolset: 'courses',
  title: 'Create a lesson',
  description:
    'Adds a lesson to a course; without sequence it stands after the others of its module or course. Returns it without its body. Where one of this title stands there already, it is shown instead. No tool deletes one: update_lesson can unpublish it. Three requests.',
  operation,
  output: writeOutput(lessonOutput),
  present: (lesson, { course_id }) =>
    presentLesson('Created', lesson, { course_id }, 'get_course_structure shows it with its id'),
});
