import * as students from '../../src/contract/students.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listAssignmentAnswers = defineListTool({
  name: 'list_assignment_answers',
  toolset: 'students',
  title: 'List assignment answers',
  description:
    'Lists the answers of students to assignments, with student, lesson and question. No filter: read on with cursor. For project work use list_project_posts.',
  cost: { requests: 1 },
  example: { limit: 5 },
  operation: students.listAssignmentAnswers,
  noun: 'assignment answers',
});
