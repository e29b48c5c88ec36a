import * as community from '../../src/contract/community.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listCommunityGroups = defineListTool({
  name: 'list_community_groups',
  toolset: 'community',
  title: 'List community groups',
  description:
    'Lists the groups of community channels by position, with the number of channels in each; at most 100. For the channels use search_channels.',
  cost: { requests: 1 },
  example: {},
  operation: community.listCommunityGroups,
  noun: 'community groups',
  // API document: "Limits".
  maxListed: 100,
});
