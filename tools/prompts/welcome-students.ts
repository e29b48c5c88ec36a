import * as z from 'zod';
import { limitedText } from '../../src/contract/schemas/input-fields.ts';
import { definePrompt } from '../../src/mcp/prompt.ts';
import { courseTitles } from '../completion/completion-sources.ts';
import { shortText } from './prompt-arguments.ts';

/** About 300 students with name and email. */
const maxList = 20_000;

export const welcomeStudents = definePrompt({
  name: 'welcome_students',
  title: 'Welcome new students',
  description: 'Gives a list of people access to a course, and drafts a welcome message.',
  needs: ['search_products', 'sync_roster'],
  input: z.strictObject({
    course: shortText().describe('Title or id of the course'),
    students: limitedText(maxList).optional().describe('Names and emails, one student a line'),
  }),
  completes: { course: courseTitles },
  write: ({ course, students }) =>
    [
      `Give new students access to the course ${course}.`,
      students === undefined ? 'Ask me for their names and emails first.' : `The students: ${students}`,
      '',
      '1. If the course is not an id, look it up with search_products, which also finds challenges and unpublished courses. If none or several fit, ask me.',
      '2. Read the students as pairs of email and name. Show me the course and the list, and point out every entry without a valid email, every missing name and every duplicate email. Guess nothing.',
      '3. Call sync_roster with students and product, without confirm, and show me its plan.',
      '4. Only after my yes, call it again with the confirmation that the answer asks for.',
      '',
      'Then report: who was given access, who had it already, and who has no access and why. If an outcome is unknown, check it before you repeat the call. At the end draft one short welcome message that I can send myself.',
    ].join('\n'),
});
