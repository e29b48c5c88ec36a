import type { Api } from '../../api/api.ts';
import { listClaims } from '../../api/http/answer-facts.ts';
import { searchPosts } from '../../contract/community.ts';
import { hasReplies, isUnpublished, lastPostAsks, singlePostTopics } from '../../insights/community/digest.ts';
import { listed } from '../../insights/outline/id-problems.ts';
import type { Period, PeriodName } from '../../insights/period.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { asValue } from '../../shared/quote-text.ts';
import { inBatches } from '../batch.ts';
import { periodFor } from '../sales/order-cursor.ts';
import { type ChannelsResult, readChannels } from './channel-posts.ts';
import { type ChannelList, findChannels } from './find-channels.ts';
import { type ChannelPost, postOf } from './post-pages.ts';

/** A period that ends less than this before now lasts until now. Milliseconds. */
const untilNowMs = 60_000;

export interface DigestQuestion {
  /** Ids or slugs; every channel if undefined. */
  readonly channels: readonly string[] | undefined;
  /** `last_7_days` if no bound is given. */
  readonly bounds: {
    period?: PeriodName | undefined;
    created_after?: string | undefined;
    created_before?: string | undefined;
    timezone?: string | undefined;
  };
  readonly maxRequests: number;
}

export interface DigestReading {
  readonly period: Period;
  /** The bounds of the question, with the default period. */
  readonly bounds: Omit<DigestQuestion['bounds'], 'timezone'>;
  readonly read: ChannelsResult;
  /** Number of posts of the period that members do not see: drafts, hidden ones, or those scheduled for later. */
  readonly unpublished: number;
  readonly unanswered: readonly ChannelPost[];
  /** Last posts of other topics that ask for something. */
  readonly asking: readonly ChannelPost[];
  /** Number of channels in the question, including channels that do not exist. */
  readonly channels: number;
  /** There may be more channels than the API lists at once. */
  readonly isCut: boolean;
  /** Entries of the channel list without a usable id or slug. */
  readonly nameless: number;
  /** Topics that may be unanswered and were not checked. */
  readonly topicsLeft: number;
  /** Topics for which the API does not show whether they are unanswered. */
  readonly topicsUnclear: number;
  readonly stopped: string | undefined;
}

/** Checks the topics that may be unanswered, newest first, and returns those in which the API shows one post. */
async function readUnanswered({ posts, pages }: ChannelsResult, left: () => number, { api, progress }: ToolContext) {
  const single = singlePostTopics(posts);
  const candidates = single.filter(({ record }) => !hasReplies(record));
  /** Their older posts are before the period. */
  const continued = new Set<ChannelPost>();
  const unanswered: ChannelPost[] = [];
  let unclear = 0;
  const step = {
    run: (post: ChannelPost) => hasSinglePost(api, post),
    keep: (post: ChannelPost, isSingle: boolean | undefined) => {
      if (isSingle === undefined) unclear += 1;
      else if (isSingle) unanswered.push(post);
      else continued.add(post);
    },
    refused: () => {
      unclear += 1;
    },
  };
  const onProgress = (done: number, total: number) =>
    progress(pages + done, pages + total, `checked ${done} of ${total} topics`);
  const { done, stopped } = await inBatches(candidates, step, { left, progress: onProgress });
  const asking = lastPostAsks(
    posts,
    single.filter((post) => !continued.has(post)),
  );
  return { unanswered, asking, topicsLeft: candidates.length - done, topicsUnclear: unclear, stopped };
}

function noSuchChannels(names: readonly string[]): AcademyError {
  const message = `there is no channel with the id or slug ${listed(names.map((name) => asValue(oneLine(name, 60))))}`;
  return new AcademyError('not_found', message, { hint: 'Find channels with search_channels.' });
}

/** Throws if no channel of the question exists, or none could be read. */
export function assertSomeRead({ absent, refused }: ChannelsResult, { channels }: ChannelList): void {
  if (channels.length === 0 || absent.length + refused.length < channels.length) return;
  if (refused.length === 0) throw noSuchChannels(absent);
  const shown = refused.slice(0, 5).map((text) => oneLine(text, 200));
  const more = refused.length > shown.length ? ` and ${refused.length - shown.length} more` : '';
  throw new AcademyError('unexpected_response', `no channel could be read: ${shown.join('; ')}${more}`, {
    hint: 'get_account shows whether this account may read the community (capabilities).',
  });
}

/**
 * Reads the posts of channels in a period and checks which topics are unanswered. One request per channel and page of 100
 * posts, and one per topic that may be unanswered. Throws `not_found` if none of the named channels exists.
 */
export async function readDigest(question: DigestQuestion, context: ToolContext): Promise<DigestReading> {
  const { channels: named, bounds: given, maxRequests } = question;
  const isOpen = given.created_after === undefined && given.created_before === undefined;
  const bounds = { ...given, period: given.period ?? (isOpen ? 'last_7_days' : undefined) };
  const period = await periodFor(bounds, context);
  const left = () => maxRequests - context.spent();
  const found = await findChannels(named, context, left());
  const onProgress = (done: number, total: number) =>
    context.progress(done, total, `read ${done} of ${total} or more pages of posts`);
  const isUntilNow = period.to >= context.now().getTime() - untilNowMs;
  const postPeriod = isUntilNow ? { from: period.from } : period;
  const channelsQuestion = { channels: found.channels, period: postPeriod, isNamed: named !== undefined };
  const all = await readChannels(context.api, channelsQuestion, { left, progress: onProgress });
  const now = context.now().getTime();
  // Null is a draft, unless the platform gives no post a time of publication.
  const isTimed = all.posts.some(({ record }) => typeof record.published_at === 'string');
  const isHidden = ({ record }: ChannelPost) => isUnpublished(record, now) || (isTimed && record.published_at === null);
  const read = { ...all, posts: all.posts.filter((post) => !isHidden(post)) };
  assertSomeRead(read, found);
  const { stopped, ...checked } = await readUnanswered(read, left, context);
  return {
    period,
    bounds,
    read,
    unpublished: all.posts.length - read.posts.length,
    ...found,
    channels: found.channels.length,
    ...checked,
    stopped: read.stopped ?? stopped,
  };
}

/**
 * Whether a topic has exactly one post over all time. Undefined if the response shows posts of other topics, or none. Counts the
 * posts if the API gives no total, or a total below the number shown.
 */
async function hasSinglePost(api: Api, { channel, topicId }: ChannelPost): Promise<boolean | undefined> {
  if (topicId === undefined) return undefined;
  const query = { id_or_slug: channel, topic_id: topicId, page: 1, per_page: 2 };
  const { items, meta } = await api.call(searchPosts, query, { priority: 'bulk' });
  const topics = items.map((record) => postOf(channel, record).topicId);
  if (topics.some((topic) => topic !== undefined && topic !== topicId)) return undefined;
  if (items.length === 0) return undefined;
  const { partial, more, total = 0 } = listClaims(items);
  if (Math.max(meta?.total_posts ?? 0, items.length, total) > 1) return false;
  return partial === undefined && more === undefined ? true : undefined;
}
