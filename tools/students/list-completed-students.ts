import * as students from '../../src/contract/students.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listCompletedStudents = defineListTool({
  name: 'list_completed_students',
  toolset: 'students',
  title: 'List students who finished',
  description:
    'Lists the students whose total completion is at least 100 percent. For one student in one course use get_course_completion, for all students list_students. Read-only; one request.',
  operation: students.listCompletedStudents,
  noun: 'students at 100 percent',
  omit: ['facebook_link', 'twitter_link'],
});
