import * as z from 'zod';
import { searchChannels } from '../../src/contract/community.ts';
import { idOrSlug, isPathSegment } from '../../src/contract/fields.ts';
import { alonePosts } from '../../src/insights/community/digest.ts';
import { naming } from '../../src/insights/outline/problems.ts';
import { defineTool, type ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { asValue } from '../../src/shared/quote.ts';
import { inBatches } from '../../src/workflows/batch.ts';
import {
  type ChannelPost,
  type ChannelsRead,
  hasOnePost,
  readChannels,
} from '../../src/workflows/community/channel-posts.ts';
import { periodFor } from '../../src/workflows/sales/order-cursor.ts';
import * as given from './arguments.ts';
import { digestOutput, presentDigest } from './digest-facts.ts';

/** API document: "Limits". */
const maxChannels = 50;

const isId = (name: string) => /^\d+$/.test(name);

/** All channels where none are named; each once, also where one is named by its id and its slug. */
async function channelsFor(named: readonly string[] | undefined, { api }: ToolContext) {
  const isPlain = named?.every(isId) === true || named?.some(isId) === false;
  if (named !== undefined && isPlain) return { channels: [...new Set(named)], isCut: false };
  const { items } = await api.call(searchChannels, { limit: maxChannels });
  const bySlug = items.flatMap(({ slug = '', id }) =>
    isPathSegment(slug) ? slug : id === undefined ? [] : [String(id)],
  );
  if (named === undefined) return { channels: bySlug, isCut: items.length >= maxChannels };
  const slugs = new Map(items.map(({ id, slug }) => [String(id), slug]));
  return { channels: [...new Set(named.map((name) => slugs.get(name) ?? name))], isCut: false };
}

function noSuchChannels(names: readonly string[]): AcademyError {
  const message = `there is no channel with the id or slug ${naming(names.map((name) => asValue(oneLine(name, 60))))}`;
  return new AcademyError('not_found', message, { hint: 'Find channels with search_channels.' });
}

/** Of the topics that may be unanswered, those in which the API shows one post; newest first. */
async function unansweredIn({ posts, pages }: ChannelsRead, left: () => number, { api, progress }: ToolContext) {
  const candidates = alonePosts(posts);
  const unanswered: ChannelPost[] = [];
  const { done, stopped } = await inBatches(
    candidates,
    (post) => hasOnePost(api, post),
    (post, isAlone) => void (isAlone && unanswered.push(post)),
    { left, progress: (done, total) => progress(pages + done, pages + total, `looked at ${done} of ${total} topics`) },
  );
  return { unanswered, topicsLeft: candidates.length - done, stopped };
}

export const communityDigest = defineTool({
  name: 'community_digest',
  toolset: 'insights',
  title: 'Digest the community',
  description:
    'What was posted since a time: posts, topics and authors by channel, the newest posts, and topics that nobody has answered (the API shows one post in them). For one channel, by words or page by page, use search_posts. Read-only; one request a channel and page of 100 posts, one request a topic that may be unanswered.',
  effect: 'read',
  repeat: 'safe',
  carriesUserContent: true,
  input: z.strictObject({
    channels: z
      .array(idOrSlug('Channel id or slug, from search_channels'))
      .min(1)
      .max(maxChannels)
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
    const { channels: named, limit = 20, max_requests: maxRequests = 30 } = input;
    const isOpen = input.created_after === undefined && input.created_before === undefined;
    const period = await periodFor({ ...input, period: input.period ?? (isOpen ? 'last_7_days' : undefined) }, context);
    const { channels, isCut } = await channelsFor(named, context);
    const left = () => maxRequests - spent();
    const tell = (done: number, total: number) =>
      progress(done, total, `read ${done} of ${total} or more pages of posts`);
    const read = await readChannels(api, channels, period, { left, progress: tell });
    if (channels.length > 0 && read.absent.length === channels.length) throw noSuchChannels(read.absent);
    const { unanswered, ...checked } = await unansweredIn(read, left, context);
    const stopped = read.stopped ?? checked.stopped;
    return presentDigest({
      period,
      limit,
      read,
      unanswered,
      channels: channels.length,
      isCut,
      ...checked,
      stopped,
      context,
    });
  },
});
