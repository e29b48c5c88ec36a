import { dateOrTime } from '../../src/contract/schemas/date-time.ts';
import { describedOnce } from '../../src/contract/schemas/listed-form.ts';
import { courseId, studentEmail } from '../../src/contract/schemas/shared-arguments.ts';
import * as students from '../../src/contract/students.ts';
import { arrangeTexts, type TextFilters } from '../../src/insights/students/arrange-texts.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

/** The filters of lists of what students wrote. The lists themselves have none in the API. */
export const textFilters = {
  email: studentEmail.describe('Only of this student').optional(),
  created_after: describedOnce(dateOrTime('From this ISO 8601 date or time on; UTC')).optional(),
  created_before: describedOnce(dateOrTime('Before it')).optional(),
};

export const arrange = (given: TextFilters) => (all: readonly object[]) => arrangeTexts(all, given);

export const listAssignmentAnswers = defineListTool({
  name: 'list_assignment_answers',
  toolset: 'students',
  title: 'List assignment answers',
  description:
    'Lists what students answered in assignments, newest first, with lesson and question: all, or by time, course or student. For project work use list_project_posts.',
  cost: { requests: 1 },
  example: { limit: 5 },
  operation: students.listAssignmentAnswers,
  hasDays: true,
  noun: 'assignment answers',
  selection: { input: { ...textFilters, course_id: courseId.optional() }, arrange },
});
