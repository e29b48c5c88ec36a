import * as z from 'zod';
import { definePrompt } from '../../src/mcp/prompt.ts';
import { courseTitles } from '../completion/completion-sources.ts';
import { shortText } from './prompt-arguments.ts';

export const restructureCourse = definePrompt({
  name: 'restructure_course',
  title: 'Restructure a course',
  description: 'Puts the lessons of a course into a new order, after your yes.',
  needs: ['search_products', 'get_course_structure', 'plan_course_outline', 'apply_course_outline'],
  input: z.strictObject({ course: shortText().describe('Title or id of the course') }),
  completes: { course: courseTitles },
  write: ({ course }) =>
    [
      `Help me to restructure the course ${course}.`,
      '',
      '1. If that is not an id, look it up with search_products, which also finds challenges and unpublished courses. If none or several fit, ask me.',
      '2. Call get_course_structure and show me the modules and lessons in their order.',
      '3. If I have not said what to change, ask me.',
      '4. Call plan_course_outline with moves (or with the whole outline if most of it changes), and show me the course before and after, the warnings and the cost. It changes nothing.',
      '5. Students see changes at once, so wait for my yes. Then call apply_course_outline with the same arguments, the base_version of the plan and confirm: true.',
      '6. If the answer is stale_version, plan again and show me the new plan. If verified is false, tell me what failed, and go on as the answer says only after my yes.',
      '',
      'Then report: the new order, the number of lessons written, whether it was verified, and that undo_outline can restore the old order.',
    ].join('\n'),
});
