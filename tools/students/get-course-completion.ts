import * as z from 'zod';
import { courseCompletion, getCourseCompletion as operation } from '../../src/contract/courses.ts';
import { unreadableText } from '../../src/insights/unreadable.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { incompleteFor } from '../../src/mcp/output/pagination.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { inline } from '../../src/mcp/output/text-format.ts';

/** The API answers for any student and course. */
const note =
  'enrolled is about the student, not the course: neither it nor the percents show whether they hold the course; diagnose_access does';

const percentText = (percent: number | undefined) => (percent === undefined ? 'an unknown part' : `${percent}%`);

export const getCourseCompletion = defineApiTool({
  name: 'get_course_completion',
  toolset: 'students',
  title: 'Get the progress in a course',
  description:
    'Shows how far one student is in one course: percentage done, finished (passed) or not, and overall; not whether they hold it: diagnose_access does. For all: course_progress.',
  example: { course_id: 5, user_email: 'freya.hargreaves@example.net' },
  operation,
  output: recordOutput({ course_id: z.int(), ...courseCompletion.shape, note: z.string() }),
  present: (record, { course_id, user_email }) => {
    const shown = sanitizeRecord(courseCompletion, { email: user_email, ...record });
    const { course_completion_percent: ofCourse, completion_percent: overall } = record;
    const percents = `${percentText(ofCourse)} of the course, ${percentText(overall)} overall`;
    const summary = `Progress in course ${course_id} of ${inline(shown.email)}: ${percents}.`;
    const unreadable = ofCourse === undefined ? { percentages: 1 } : {};
    const part = { summary, data: { course_id, ...shown, note } };
    return incompleteFor([unreadableText(unreadable)], part, { unreadable });
  },
});
