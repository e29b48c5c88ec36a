import * as courses from '../../src/contract/courses.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listRoles = defineListTool({
  name: 'list_roles',
  toolset: 'access',
  title: 'List roles',
  description: 'Lists what kinds of roles exist, with their ids for grant_role. The API does not show who has which.',
  example: {},
  operation: courses.listRoles,
  noun: 'roles',
});
