import * as z from 'zod';
import { createLesson as operation } from '../../src/contract/courses.ts';
import { integer } from '../../src/contract/schemas/input-fields.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { writeOutput } from '../../src/mcp/output/output-schemas.ts';
import { refuseInput } from '../../src/shared/invalid-input.ts';
import { createLessonOnce } from '../../src/workflows/outline/create-at-position.ts';
import { landingFacts, lessonOutput, presentLesson } from './lesson-result.ts';

export const createLesson = defineApiTool({
  name: 'create_lesson',
  toolset: 'courses',
  title: 'Create a lesson',
  description:
    'Adds (puts) a new lesson (text, video) to a course: at the end of its module (chapter) or course, or between others at position, where others may get new numbers. Returns where it landed. The default of is_published is unknown. If it exists, adds none. No tool deletes it (update_lesson unpublishes).',
  cost: { once: 3, 'per renumbered lesson': 1 },
  example: {
    course_id: 5,
    module_id: 219,
    title: 'White balance',
    content: 'Grey card, shade, tungsten.',
    is_published: false,
  },
  operation,
  extra: { position: integer(1, 10_000, 'From 1; not with sequence').optional() },
  check: ({ position, sequence }) => {
    if (position !== undefined && sequence !== undefined) throw refuseInput(['give position or sequence, not both']);
  },
  output: writeOutput({ ...lessonOutput, landed: z.looseObject({}), next: z.string() }),
  around: async (input, context, send) => await createLessonOnce(input, context, send),
  present: (lesson, input, _titles, creation) => {
    const { course_id } = input;
    const presented = presentLesson('Created', lesson, { course_id }, 'get_course_structure shows it with its id');
    return landingFacts(presented, creation, input);
  },
});
