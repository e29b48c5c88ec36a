import { createLesson as operation } from '../../src/contract/courses.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { lessonOutput, presentLesson } from './lesson-answer.ts';

export const createLesson = defineApiTool({
  name: 'create_lesson',
  toolset: 'courses',
  title: 'Create a lesson',
  description:
    'Adds a lesson to a course, last in its module or course if sequence is omitted. Returns it without its body. If the title already exists there, shows that lesson and creates none. No tool deletes lessons; update_lesson can unpublish them.',
  cost: { requests: 3 },
  example: {
    course_id: 5,
    module_id: 219,
    title: 'White balance',
    content: 'Grey card, shade, tungsten.',
    is_published: false,
  },
  operation,
  output: writeOutput(lessonOutput),
  present: (lesson, { course_id }) =>
    presentLesson('Created', lesson, { course_id }, 'get_course_structure shows it with its id'),
});
