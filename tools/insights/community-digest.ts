import * as z from 'zod';
import { idOrSlug } from '../../src/contract/schemas/path-segment.ts';
import { defineTool } from '../../src/mcp/tool.ts';
import { maxChannels } from '../../src/workflows/community/find-channels.ts';
import { readDigest } from '../../src/workflows/community/read-digest.ts';
import { requestsAllowed } from '../../src/workflows/requests-allowed.ts';
import { digestOutput, presentDigest } from './community-digest-result.ts';
import * as common from './shared-arguments.ts';

export const communityDigest = defineTool({
  name: 'community_digest',
  toolset: 'insights',
  title: 'Digest the community',
  description:
    'Sums up what is new (happening, discussed, missed) in the community in a period: posts, topics and authors by channel, the newest posts, questions (topics) of members nobody answered yet (one post in them). search_posts reads on.',
  cost: {
    requests: 1,
    per: 'channel and page of 100 posts',
    plus: [
      { requests: 1, per: 'topic that may be unanswered' },
      { requests: [0, 2], when: 'to list channels' },
    ],
  },
  example: { channels: ['sql-databases', 'spreadsheet-help'], period: 'last_week' },
  effect: 'read',
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({
    channels: z
      .array(idOrSlug('Channel id or slug, from search_channels'))
      .min(1)
      .max(maxChannels)
      .describe('Default all channels')
      .optional(),
    ...common.periodArguments,
    period: common.periodArguments.period.describe('Default last_7_days'),
    limit: common.limit(20),
    max_requests: common.maxRequests,
  }),
  output: digestOutput,
  run: async ({ channels, limit = 20, max_requests, ...bounds }, context) => {
    const maxRequests = await requestsAllowed(max_requests, context);
    const digest = await readDigest({ channels, bounds, maxRequests }, context);
    return presentDigest({ ...digest, maxRequests: max_requests, named: channels, limit, context });
  },
});
