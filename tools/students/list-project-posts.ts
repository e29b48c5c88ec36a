import * as students from '../../src/contract/students.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listProjectPosts = defineListTool({
  name: 'list_project_posts',
  toolset: 'students',
  title: 'List project posts',
  description:
    'Lists what students posted in projects. No filter: read on with cursor. For assignments use list_assignment_answers, for the community search_posts.',
  cost: { requests: 1 },
  example: { limit: 5 },
  operation: students.listProjectPosts,
  noun: 'project posts',
});
