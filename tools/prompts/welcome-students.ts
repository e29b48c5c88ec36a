import * as z from 'zod';
import { limitedText } from '../../src/contract/schemas/input-fields.ts';
import { definePrompt } from '../../src/mcp/prompt.ts';
import { courseTitles } from '../completion/sources.ts';
import { shortText } from './prompt-arguments.ts';

/** About 300 students with name and email. */
const maxList = 20_000;

export const welcomeStudents = definePrompt({
  name: 'welcome_students',
  title: 'Welcome new students',
  description: 'Gives a list of people access to a course, and drafts a welcome message.',
  needs: ['search_products', 'bulk_enroll_students'],
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
      '1. If the course is not an id, look it up with search_products, which also finds challenges and what is not published. If none or more than one fits, ask me.',
      '2. Read the students as pairs of email and name. Show me the course and the list, and name every entry without a usable email, every name that is missing and every email that stands there twice. Guess nothing.',
      '3. Call bulk_enroll_students with students and course_id, without confirm, and show me what it says it would do.',
      '4. Only after my yes call it again in the way that it asks for.',
      '',
      'Then report: who has been given access, who had it already, and who has not got it and why; do not repeat what is of unknown outcome before it has been checked. At the end draft one short welcome message that I can send myself.',
    ].join('\n'),
});
