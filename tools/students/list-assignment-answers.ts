import { courseId } from '../../src/contract/schemas/input-fields.ts';
import * as students from '../../src/contract/students.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';
import { arrange, textFilters } from './text-selection.ts';

export const listAssignmentAnswers = defineListTool({
  name: 'list_assignment_answers',
  toolset: 'students',
  title: 'List assignment answers',
  description:
    'Lists what students answered (submitted) in assignments (homework), newest first, with lesson: all, or by time, course or student. Project work: list_project_posts.',
  example: { limit: 5 },
  operation: students.listAssignmentAnswers,
  noun: 'assignment answers',
  selection: { input: { ...textFilters, course_id: courseId.optional() }, arrange },
});
