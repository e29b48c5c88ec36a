import * as community from '../../src/contract/community.ts';
import { defineListTool } from '../../src/mcp/define-list-tool.ts';

export const listCommunityGroups = defineListTool({
  name: 'list_community_groups',
  toolset: 'community',
  title: 'List community groups',
  description:
    'Lists the groups (sections) of community (forum) channels by position, with the number of channels in each. Channels: search_channels.',
  example: {},
  operation: community.listCommunityGroups,
  noun: 'community groups',
  // API document: "Limits".
  maxListed: 100,
});
