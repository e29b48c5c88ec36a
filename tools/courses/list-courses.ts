import * as courses from '../../src/contract/courses.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listCourses = defineListTool({
  name: 'list_courses',
  toolset: 'courses',
  title: 'List courses',
  description:
    'Lists all courses (classes) we have published (live), how many, ids, prices. Drafts, challenges or a title: search_products; one: get_course.',
  example: { limit: 5 },
  operation: courses.listCourses,
  noun: 'published courses',
});
