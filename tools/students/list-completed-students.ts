import * as students from '../../src/contract/students.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listCompletedStudents = defineListTool({
  name: 'list_completed_students',
  toolset: 'students',
  title: 'List students who finished',
  description:
    'Lists the students who finished (completed) every single course, the whole program (100%). For one course: course_progress.',
  example: { limit: 5 },
  operation: students.listCompletedStudents,
  noun: 'students at 100 percent',
  omit: ['facebook_link', 'twitter_link'],
});
