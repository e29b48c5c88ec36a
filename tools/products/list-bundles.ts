import * as bundles from '../../src/contract/bundles.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listBundles = defineListTool({
  name: 'list_bundles',
  toolset: 'products',
  title: 'List bundles',
  description:
    'Lists all our bundles (offers, packages): id and title. For one bundle use get_bundle; by title search_products.',
  cost: { requests: 1 },
  example: { limit: 5 },
  operation: bundles.listBundles,
  noun: 'bundles',
});
