import * as courses from '../../src/contract/courses.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listRoles = defineListTool({
  name: 'list_roles',
  toolset: 'access',
  title: 'List roles',
  description:
    'Lists the roles that a student can be given, by grant_role, with id and name. Who has which the API does not show. Read-only; one request.',
  operation: courses.listRoles,
  noun: 'roles',
});
