import * as z from 'zod';
import { type ChannelPost, countTopicPosts, readChannels } from '../../src/api/channel-posts.ts';
import { eachOf } from '../../src/api/each.ts';
import { searchChannels } from '../../src/contract/community.ts';
import { idOrSlug, isPathSegment } from '../../src/contract/fields.ts';
import { alonePosts } from '../../src/insights/digest.ts';
import { periodFor } from '../../src/mcp/order-question.ts';
import { defineTool, type ToolContext } from '../../src/mcp/tool.ts';
import * as given from './arguments.ts';
import { digestOutput, presentDigest } from './digest-facts.ts';

/** API document: "Limits". */
const mostChannels = 50;

const isId = (name: string) => /^\d+$/.test(name);

/** All channels where none are named; each once, also where one is named by its id and its slug. */
async function channelsFor(named: readonly string[] | undefined, { api }: ToolContext) {
  const isPlain = named?.every(isId) === true || named?.some(isId) === false;
  if (named !== undefined && isPlain) return { channels: [...new Set(named)], isCut: false };
  const { items } = await api.call(searchChannels, { limit: mostChannels });
  const bySlug = items.flatMap(({ slug = '', id }) =>
    isPathSegment(slug) ? slug : id === undefined ? [] : [String(id)],
  );
  if (named === undefined) return { channels: bySlug, isCut: items.length >= mostChannels };
  const slugs = new Map(items.map(({ id, slug }) => [String(id), slug]));
  return { channels: [...new Set(named.map((name) => slugs.get(name) ?? name))], isCut: false };
}

export const communityDigest = defineTool({
  name: 'community_digest',
  toolset: 'insights',
  title: 'Digest the community',
  description:
    'What was posted over channels since a time: posts, topics and authors by channel, the newest posts, and topics that nobody has answered (the API shows one post in them). For the posts of one channel, by words or page by page, use search_posts. Read-only; one request a channel and page of 100 posts, and one request a topic to see whether it is unanswered.',
  effect: 'read',
  repeat: 'safe',
  memberText: true,
  input: z.strictObject({
    channels: z
      .array(idOrSlug('Channel id or slug, from search_channels'))
      .min(1)
      .max(mostChannels)
      .describe('Channel ids or slugs; all when omitted')
      .optional(),
    ...given.periodArguments,
    period: given.periodArguments.period.describe('As in find_buyers; last_7_days when no bound is given'),
    limit: given.limit(20),
    max_requests: given.maxRequests(30),
  }),
  output: digestOutput,
  run: async (input, context) => {
    const { api, spent, progress } = context;
    const isOpen = input.created_after === undefined && input.created_before === undefined;
    const period = await periodFor({ ...input, period: input.period ?? (isOpen ? 'last_7_days' : undefined) }, context);
    const { channels, isCut } = await channelsFor(input.channels, context);
    const left = () => (input.max_requests ?? 30) - spent();
    const read = await readChannels(api, channels, period, {
      left,
      progress: (done, total) => progress(done, total, `read ${done} of ${total} channels`),
    });
    const candidates = alonePosts(read.posts);
    const unanswered: ChannelPost[] = [];
    const checked = await eachOf(
      candidates,
      (post) => countTopicPosts(api, post),
      (post, count) => void (count === 1 && unanswered.push(post)),
      {
        left,
        progress: (done, total) =>
          progress(channels.length + done, channels.length + total, `looked at ${done} of ${total} topics`),
      },
    );
    return presentDigest(read.posts, unanswered, {
      period,
      limit: input.limit ?? 20,
      channels: channels.length,
      isCut,
      cutShort: read.cutShort,
      channelsLeft: read.left,
      topicsLeft: candidates.length - checked.done,
      stopped: read.stopped ?? checked.stopped,
      context,
    });
  },
});
