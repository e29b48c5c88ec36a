import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { called } from '../../src/mcp/titles.ts';
import { roleFacts, studentFacts, together } from './access-facts.ts';
import { accessOutput, presentAccessResult } from './access-result.ts';

export const revokeRole = defineApiTool({
  name: 'revoke_role',
  toolset: 'access',
  title: 'Revoke a role',
  description:
    'Removes (takes away) a role (moderator) from a student. The API shows neither what it allows nor who has it. Undo: grant_role; courses: revoke_course.',
  cost: { once: 2 },
  example: { email: 'freya.hargreaves@example.net', role_id: 3 },
  operation: access.revokeRole,
  output: accessOutput('role_id'),
  confirmationMessage: ({ email, role_id }, titles) =>
    `This takes ${called('role', role_id, titles.role_id)} from ${email} if they have it, with everything that the role allows. The API documents no other effect. grant_role can give it again.`,
  confirmationFacts: ({ email, role_id }, context) =>
    together(studentFacts(context, email), roleFacts(context.api, role_id)),
  present: (answer, { email, role_id }, titles) => {
    const role = called('role', role_id, titles.role_id);
    const note = 'removed if it was held: the API does not show which roles a student has';
    return presentAccessResult(`Removed ${role} from ${email}, if they had it.`, { email, role_id, note }, answer);
  },
});
