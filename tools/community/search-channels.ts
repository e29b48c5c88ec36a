import * as community from '../../src/contract/community.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { presentSearch, searchOutput } from '../record-result.ts';

const search = {
  list: 'channels',
  item: community.channelItem,
  // API document: "Limits".
  defaultLimit: 25,
  largestLimit: 50,
  narrow: 'narrow query',
};

export const searchChannels = defineApiTool({
  name: 'search_channels',
  toolset: 'community',
  title: 'Search channels',
  description:
    'Finds or lists community (forum) channels (rooms, spaces) by part of name or slug: id, name, slug. One: get_channel, posts: search_posts.',
  example: { query: 'photo' },
  operation: community.searchChannels,
  output: searchOutput(search),
  present: (answer, input) => presentSearch(search, answer, input),
});
