import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/tool.ts';
import { accessOutput, presentAccess } from './access-answer.ts';
import { bundleLoss, studentFacts, together } from './facts.ts';

export const revokeBundle = defineApiTool({
  name: 'revoke_bundle',
  toolset: 'access',
  title: 'Revoke a bundle',
  description:
    'Takes a bundle from a student, and its courses and digital products off their orders, perhaps also where bought on their own. The orders stay. For one course use revoke_course. No undo: enroll_student grants anew, as a new order of amount 0. One request.',
  operation: access.revokeBundle,
  output: accessOutput('bundle_id'),
  consequence: ({ email, bundle_id }) =>
    `This takes bundle ${bundle_id} from ${email} and removes the courses and digital products in it from their orders; the API document makes no exception for those that were bought on their own. The orders stay, without them. It cannot be undone: enroll_student can grant the bundle anew, as a new order of amount 0.`,
  preview: ({ email, bundle_id }, api) => together(studentFacts(api, email), bundleLoss(api, email, bundle_id)),
  present: (answer, { email, bundle_id }) =>
    presentAccess(`Took bundle ${bundle_id} from ${email}.`, { email, bundle_id }, answer),
});
