import * as students from '../../src/contract/students.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listCompletedStudents = defineListTool({
  name: 'list_completed_students',
  toolset: 'students',
  title: 'List students who finished',
  description:
    'Lists the students with a total completion of 100 percent or more. For one student in one course use get_course_completion, for all students list_students.',
  cost: { requests: 1 },
  example: { limit: 5 },
  operation: students.listCompletedStudents,
  noun: 'students at 100 percent',
  omit: ['facebook_link', 'twitter_link'],
});
