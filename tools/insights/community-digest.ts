import * as z from 'zod';
import { searchChannels } from '../../src/contract/community.ts';
import { idOrSlug, isPathSegment } from '../../src/contract/schemas/path-segment.ts';
import { alonePosts } from '../../src/insights/community/digest.ts';
import { listed } from '../../src/insights/outline/id-problems.ts';
import { defineTool, type ToolContext } from '../../src/mcp/tool.ts';
import { oneLine } from '../../src/shared/clean-text.ts';
import { AcademyError } from '../../src/shared/errors.ts';
import { asValue } from '../../src/shared/quote-text.ts';
import { inBatches } from '../../src/workflows/batch.ts';
import { type ChannelsRead, readChannels } from '../../src/workflows/community/channel-posts.ts';
import type { ChannelPost } from '../../src/workflows/community/post-pages.ts';
import { isAlone } from '../../src/workflows/community/single-post-topics.ts';
import { periodFor } from '../../src/workflows/sales/order-cursor.ts';
import { digestOutput, presentDigest } from './community-digest-result.ts';
import * as given from './shared-arguments.ts';

/** API document: "Limits". */
const maxChannels = 50;

/** A period that ends so shortly before now lasts until now. Milliseconds. */
const soonMs = 60_000;

const isId = (name: string) => /^\d+$/.test(name);

/** As many as the API lists where it takes no notice of the limit. API document: "Limits". */
const usualChannels = 25;

interface Channels {
  readonly channels: readonly string[];
  /** There may be more channels than these. */
  readonly isCut: boolean;
  /** Entries of the list that no channel can be read by. */
  readonly nameless: number;
}

/** All channels where none are named; each once, also where one is named by its id and its slug. */
async function channelsFor(named: readonly string[] | undefined, { api }: ToolContext): Promise<Channels> {
  const isPlain = named?.every(isId) === true || named?.some(isId) === false;
  const all = { isCut: false, nameless: 0 };
  if (named !== undefined && isPlain) return { ...all, channels: [...new Set(named)] };
  const { items } = await api.call(searchChannels, { limit: maxChannels });
  const bySlug = items.flatMap(({ slug = '', id }) =>
    isPathSegment(slug) ? slug : id === undefined ? [] : [String(id)],
  );
  if (named === undefined) {
    const isCut = items.length >= maxChannels || items.length === usualChannels;
    return { channels: [...new Set(bySlug)], isCut, nameless: items.length - bySlug.length };
  }
  const slugs = new Map(items.map(({ id, slug }) => [String(id), slug]));
  return { ...all, channels: [...new Set(named.map((name) => slugs.get(name) ?? name))] };
}

function noSuchChannels(names: readonly string[]): AcademyError {
  const message = `there is no channel with the id or slug ${listed(names.map((name) => asValue(oneLine(name, 60))))}`;
  return new AcademyError('not_found', message, { hint: 'Find channels with search_channels.' });
}

/** Of the topics that may be unanswered, those in which the API shows one post; newest first. */
async function unansweredIn({ posts, pages }: ChannelsRead, left: () => number, { api, progress }: ToolContext) {
  const candidates = alonePosts(posts);
  const unanswered: ChannelPost[] = [];
  let unclear = 0;
  const step = {
    run: (post: ChannelPost) => isAlone(api, post),
    keep: (post: ChannelPost, alone: boolean | undefined) => {
      if (alone === undefined) unclear += 1;
      else if (alone) unanswered.push(post);
    },
    refused: () => {
      unclear += 1;
    },
  };
  const tell = (done: number, total: number) =>
    progress(pages + done, pages + total, `looked at ${done} of ${total} topics`);
  const { done, stopped } = await inBatches(candidates, step, { left, progress: tell });
  return { unanswered, topicsLeft: candidates.length - done, topicsUnclear: unclear, stopped };
}

/** The channels that were asked for are not there, or none of them could be read. */
function refuseWhereNothingWasRead({ absent, refused }: ChannelsRead, { channels }: Channels): void {
  if (channels.length === 0 || absent.length + refused.length < channels.length) return;
  if (refused.length === 0) throw noSuchChannels(absent);
  const which = refused.slice(0, 5).map((text) => oneLine(text, 200));
  const more = refused.length > which.length ? ` and ${refused.length - which.length} more` : '';
  throw new AcademyError('unexpected_response', `no channel could be read: ${which.join('; ')}${more}`, {
    hint: 'get_account shows whether this account may read the community (capabilities).',
  });
}

export const communityDigest = defineTool({
  name: 'community_digest',
  toolset: 'insights',
  title: 'Digest the community',
  description:
    'Shows what was posted in a period: posts, topics and authors by channel, the newest posts, and topics without an answer (the API shows one post in them). For one channel, by words or page by page, use search_posts.',
  cost: {
    requests: 1,
    per: 'channel and page of 100 posts',
    plus: [
      { requests: 1, per: 'topic that may be unanswered' },
      { requests: [0, 1], when: 'to list channels' },
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
      .describe('All channels when omitted')
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
    const found = await channelsFor(named, context);
    const left = () => maxRequests - spent();
    const tell = (done: number, total: number) =>
      progress(done, total, `read ${done} of ${total} or more pages of posts`);
    const isUntilNow = period.to >= context.now().getTime() - soonMs;
    const asked = isUntilNow ? { from: period.from } : period;
    const question = { channels: found.channels, period: asked, isNamed: named !== undefined };
    const read = await readChannels(api, question, { left, progress: tell });
    refuseWhereNothingWasRead(read, found);
    const { unanswered, ...checked } = await unansweredIn(read, left, context);
    const stopped = read.stopped ?? checked.stopped;
    return presentDigest({
      period,
      limit,
      read,
      unanswered,
      ...found,
      channels: found.channels.length,
      ...checked,
      stopped,
      context,
    });
  },
});
