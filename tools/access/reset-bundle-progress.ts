import * as access from '../../src/contract/access.ts';
import { defineApiTool } from '../../src/mcp/tool.ts';
import { accessOutput, presentAccess } from './access-answer.ts';
import { bundleProgressFacts, studentFacts, together } from './facts.ts';

export const resetBundleProgress = defineApiTool({
  name: 'reset_bundle_progress',
  toolset: 'access',
  title: 'Reset the progress in a bundle',
  description:
    "Deletes a student's completion and progress records in every course of a bundle, for good. Access is not said to change: for that use revoke_bundle. For one course use reset_course_progress. One request.",
  operation: access.resetBundleProgress,
  output: accessOutput('bundle_id'),
  consequence: ({ email, bundle_id }) =>
    `This deletes the completion and progress records of ${email} in every course of bundle ${bundle_id} for good; nothing brings them back. The API documents no other effect: orders and access are not mentioned.`,
  preview: ({ email, bundle_id }, api) =>
    together(studentFacts(api, email), bundleProgressFacts(api, email, bundle_id)),
  present: (answer, { email, bundle_id }) =>
    presentAccess(
      `Deleted the progress of ${email} in the courses of bundle ${bundle_id}.`,
      { email, bundle_id },
      answer,
    ),
});
