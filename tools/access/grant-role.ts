import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { called } from '../../src/mcp/titles.ts';
import { accessOutput, presentAccessResult } from './access-result.ts';

export const grantRole = defineApiTool({
  name: 'grant_role',
  toolset: 'access',
  title: 'Grant a role',
  description:
    'Makes (promotes) a student a moderator, teacher: assigns (gives) a role. The API does not show what it allows. Undo: revoke_role; courses: enroll_student.',
  cost: { once: 2 },
  example: { email: 'freya.hargreaves@example.net', role_id: 3 },
  operation: access.grantRole,
  output: accessOutput('role_id'),
  present: (answer, { email, role_id }, titles) =>
    presentAccessResult(`Gave ${called('role', role_id, titles.role_id)} to ${email}.`, { email, role_id }, answer),
});
