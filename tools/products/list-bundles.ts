import * as bundles from '../../src/contract/bundles.ts';
import { defineWindowTool } from '../../src/mcp/define-list-tool.ts';

export const listBundles = defineWindowTool({
  name: 'list_bundles',
  toolset: 'products',
  title: 'List bundles',
  description:
    'Lists all bundles (offers) with id and title. For details use get_bundle, to find one by title search_products. Read-only; one request.',
  operation: bundles.listBundles,
  noun: 'bundles',
});
