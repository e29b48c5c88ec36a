import { id } from '../../src/contract/schemas/input-fields.ts';
import * as students from '../../src/contract/students.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';
import { arrange, textFilters } from './text-selection.ts';

export const listProjectPosts = defineListTool({
  name: 'list_project_posts',
  toolset: 'students',
  title: 'List project posts',
  description:
    'Lists the work (photos) that students shared in projects, newest first: all, or by time, project or student. Assignments: list_assignment_answers, posts: search_posts.',
  example: { limit: 5 },
  operation: students.listProjectPosts,
  noun: 'project posts',
  selection: { input: { ...textFilters, project_id: id('Project id').optional() }, arrange },
});
