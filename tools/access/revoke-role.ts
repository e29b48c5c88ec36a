import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/tool.ts';
import { accessOutput, presentAccess } from './access-answer.ts';
import { roleFacts, studentFacts, together } from './facts.ts';

export const revokeRole = defineApiTool({
  name: 'revoke_role',
  toolset: 'access',
  title: 'Revoke a role',
  description:
    'Takes a role from a student. The API shows neither what a role allows nor who has it. To undo it use grant_role; for courses and bundles revoke_course, revoke_bundle. One request.',
  operation: access.revokeRole,
  output: accessOutput('role_id'),
  consequence: ({ email, role_id }) =>
    `This takes role ${role_id} from ${email}, with whatever the role allows. The API documents no other effect. grant_role can give it again.`,
  preview: ({ email, role_id }, api) => together(studentFacts(api, email), roleFacts(api, role_id)),
  present: (answer, { email, role_id }) =>
    presentAccess(`Took role ${role_id} from ${email}.`, { email, role_id }, answer),
});
