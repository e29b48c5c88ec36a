import * as bundles from '../../src/contract/bundles.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { presentRecord } from '../record-result.ts';

export const getBundle = defineApiTool({
  name: 'get_bundle',
  toolset: 'products',
  title: 'Get a bundle',
  description:
    'Shows what is inside one bundle (offer, package): description, published or not, how many products; the API does not show which courses it includes. Its price: get_product.',
  example: { bundle_id: 3 },
  operation: bundles.getBundle,
  output: recordOutput(bundles.bundle.shape),
  present: (bundle) => presentRecord('Bundle', bundles.bundle, bundle),
});
