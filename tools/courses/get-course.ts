import * as z from 'zod';
import * as courses from '../../src/contract/courses.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentRecord } from '../record-result.ts';

export const getCourse = defineApiTool({
  name: 'get_course',
  toolset: 'courses',
  title: 'Get a course',
  description:
    'Shows the information (details) of one course or challenge: description (blurb), status, price, published or draft, number of lessons, cover. Lessons: get_course_structure, settings: get_product.',
  example: { course_id: 5 },
  operation: courses.getCourse,
  output: recordOutput({ product_type: z.string(), ...courses.course.shape }),
  present: (course) => {
    const isChallenge = course.is_challenge === true;
    const { summary, data } = presentRecord(isChallenge ? 'Challenge' : 'Course', courses.course, course);
    return { summary, data: { ...(isChallenge ? { product_type: 'challenge' } : {}), ...data } };
  },
});
