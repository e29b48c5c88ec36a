import * as z from 'zod';
import { definePrompt, words } from './prompt.ts';

export const restructureCourse = definePrompt({
  name: 'restructure_course',
  title: 'Restructure a course',
  description: 'Puts the lessons of a course into a new order, after you have agreed to it.',
  needs: ['list_courses', 'get_course_structure', 'update_lesson'],
  input: z.strictObject({ course: words().describe('Title or id of the course') }),
  completes: { course: 'course_titles' },
  write: ({ course }) =>
    [
      `Help me to restructure the course ${course}.`,
      '',
      '1. If that is not an id, look it up with list_courses, which shows published courses. If none or more than one fits, ask me.',
      '2. Call get_course_structure and show me the modules and lessons in their order.',
      '3. Ask me what I want changed, unless I have said so. Then show me the order as it would be, with each lesson that moves: from where, to where. Students see changes at once and there is no undo, so wait for my yes.',
      '4. Call update_lesson once for each lesson that moves, with its module_id (null for no module) and sequence, and nothing else. If a call fails, stop, and tell me which lessons have moved and which have not.',
      '5. Call get_course_structure again and compare it with what we agreed on.',
      '',
      'Then report: the new order, how many lessons moved, and whatever differs from the plan.',
    ].join('\n'),
});
