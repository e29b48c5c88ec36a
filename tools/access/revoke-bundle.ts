import * as access from '../../src/contract/access.ts';
import { untitled } from '../../src/insights/sales/products-in-order.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { called } from '../../src/mcp/titles.ts';
import { bundleLoss } from './access-facts.ts';
import { accessOutput, presentEffect } from './access-result.ts';
import { sendAndReportLosses } from './read-around-write.ts';

export const revokeBundle = defineApiTool({
  name: 'revoke_bundle',
  toolset: 'access',
  title: 'Revoke a bundle',
  description:
    'Removes a bundle (offer, package) from a student (refund, cancelled, money back): takes it and all that came with it, courses, digital products, off their orders, perhaps also ones sold alone. One course: revoke_course. Undo: enroll_student.',
  cost: { once: 6, 'per further page or email spelling': 2 },
  example: { email: 'freya.hargreaves@example.net', bundle_id: 3 },
  operation: access.revokeBundle,
  output: accessOutput('bundle_id'),
  confirmationMessage: ({ email, bundle_id }, titles) =>
    `This takes ${called('bundle', bundle_id, titles.bundle_id)} from ${email} and removes its courses and digital products from their orders; the API document makes no exception for those bought on their own. The orders and their amounts stay, but sales_report and find_buyers no longer count these orders for what was taken off them.`,
  confirmationFacts: ({ email, bundle_id }, context) => bundleLoss(context, email, bundle_id),
  around: ({ email, bundle_id }, context, send) =>
    sendAndReportLosses(email, untitled('bundle', bundle_id), context, (options) => send(undefined, options)),
  present: (answer, { email, bundle_id }, titles, facts) => {
    const bundle = called('bundle', bundle_id, titles.bundle_id);
    const wasSo = `Nothing to remove: no order of ${email} listed ${bundle} before.`;
    return presentEffect({ applied: `Took ${bundle} from ${email}.`, wasSo }, { email, bundle_id }, answer, facts);
  },
});
