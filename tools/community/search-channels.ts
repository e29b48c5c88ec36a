import * as z from 'zod';
import { unreadableEntries } from '../../src/api/http/answer-facts.ts';
import * as community from '../../src/contract/community.ts';
import { defineApiTool } from '../../src/mcp/define-api-tool.ts';
import { listOutput, recordOutput } from '../../src/mcp/output/output-schemas.ts';
import { sanitizeRecord } from '../../src/mcp/output/sanitize.ts';
import { presentSearchResult } from '../record-result.ts';

/** API document: "Limits". */
const defaultLimit = 25;
const largestLimit = 50;

export const searchChannels = defineApiTool({
  name: 'search_channels',
  toolset: 'community',
  title: 'Search channels',
  description:
    'Finds or lists community (forum) channels (rooms, spaces) by part of name or slug: id, name, slug. One: get_channel, posts: search_posts.',
  cost: { requests: 1 },
  example: { query: 'photo' },
  operation: community.searchChannels,
  output: listOutput('channels', recordOutput(community.channelItem.shape), {
    count: z.int(),
    more: z.string(),
    note: z.string(),
  }),
  present: (answer, { limit = defaultLimit, ...query }) =>
    presentSearchResult({
      query,
      list: 'channels',
      rows: answer.items.map((item) => sanitizeRecord(community.channelItem, item)),
      limit,
      defaultCount: defaultLimit,
      lost: unreadableEntries(answer),
      largestLimit,
      narrow: 'narrow query',
    }),
});
