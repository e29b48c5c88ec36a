import type { Api } from '../../api/api.ts';
import { listClaims, whyNotWhole } from '../../api/http/answer-facts.ts';
import { recordFailureOf } from '../../api/partial-failure.ts';
import { listCommunityGroups, searchChannels, searchPosts } from '../../contract/community.ts';
import { isPathSegment } from '../../contract/schemas/input-fields.ts';
import { timeOf } from '../../insights/api-time.ts';
import {
  alternativesIn,
  hasOneOf,
  hasReplies,
  isBy,
  isUnpublished,
  lastPostAsks,
  singlePostTopics,
} from '../../insights/community/digest.ts';
import { listed } from '../../insights/outline/course.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { firstOf } from '../../shared/invalid-input.ts';
import { asValue } from '../../shared/quote-text.ts';
import { inBatches } from '../batch.ts';
import { type PeriodBounds, periodFor } from '../sales/order-cursor.ts';
import { endsAt } from '../sales/order-scan.ts';
import { type ChannelPost, type ChannelsResult, type PostWords, postOf, readChannels } from './channel-posts.ts';

/** API document: "Limits". */
export const maxChannels = 50;

/** The number of channels that the API lists if it ignores the limit. API document: "Limits". */
const defaultChannels = 25;

const isId = (name: string) => /^\d+$/.test(name);

/** How many channels the groups count together; 0 if the API does not show them. */
async function countGrouped(api: Api): Promise<number> {
  const { items } = await api.call(listCommunityGroups, {}).catch((error: unknown) => {
    if (recordFailureOf(error, false) === undefined) throw error;
    return { items: [] };
  });
  return items.reduce((sum, { channel_count = 0 }) => sum + channel_count, 0);
}

/**
 * Every channel if `named` is undefined; each once, even one that is named by its id and its slug. `requests`: the most that may
 * be sent. With one, nothing tells whether the list has every channel of the groups. `nameless`: entries of the list without a
 * usable id or slug.
 */
export async function findChannels(
  named: readonly string[] | undefined,
  { api }: Pick<ToolContext, 'api'>,
  requests = Number.POSITIVE_INFINITY,
) {
  const listing = () => api.call(searchChannels, { limit: maxChannels });
  if (named !== undefined) {
    const isOneForm = named.every(isId) || !named.some(isId);
    const slugs = new Map(isOneForm ? [] : (await listing()).items.map(({ id, slug }) => [String(id), slug]));
    return { channels: [...new Set(named.map((name) => slugs.get(name) ?? name))], isCut: false, nameless: 0 };
  }
  const [{ items }, grouped] = await Promise.all([listing(), requests > 1 ? countGrouped(api) : 0]);
  const usable = items.flatMap(({ slug = '', id }) =>
    isPathSegment(slug) ? slug : id === undefined ? [] : [String(id)],
  );
  const isFull = items.length >= maxChannels || items.length === defaultChannels;
  const isCut = isFull || whyNotWhole(items) !== undefined || items.length < grouped;
  return { channels: [...new Set(usable)], isCut, nameless: items.length - usable.length };
}

/** Reads the posts of these channels, and throws if no channel of the question exists, or none could be read. */
async function readPosts(
  { channels }: Awaited<ReturnType<typeof findChannels>>,
  question: Omit<Parameters<typeof readChannels>[1], 'channels'>,
  maxRequests: number,
  { api, spent, progress }: ToolContext,
): Promise<ChannelsResult> {
  const onProgress = (done: number, total: number) =>
    progress(done, total, `read ${done} of ${total} or more pages of posts`);
  const terms = { left: () => maxRequests - spent(), progress: onProgress };
  const read = await readChannels(api, { ...question, channels }, terms);
  const { absent, refused } = read;
  if (channels.length === 0 || absent.length + refused.length < channels.length) return read;
  if (refused.length === 0) throw noSuchChannels(absent);
  const reasons = firstOf(
    refused.map((text) => oneLine(text, 200)),
    5,
    '; ',
  );
  throw new AcademyError('unexpected_response', `no channel could be read: ${reasons}`, {
    hint: 'get_account shows whether this account may read the community (capabilities).',
  });
}

/** Checks the topics that may be unanswered, newest first, and returns those in which the API shows one post. */
async function readUnanswered({ posts, pages }: ChannelsResult, left: () => number, { api, progress }: ToolContext) {
  const single = singlePostTopics(posts);
  const candidates = single.filter(({ record }) => !hasReplies(record));
  /** Whether the topic of each candidate has one post; false: its older posts are before the period. */
  const checked = new Map<ChannelPost, boolean | undefined>();
  const step = {
    run: (post: ChannelPost) => hasSinglePost(api, post),
    keep: (post: ChannelPost, isSingle?: boolean) => void checked.set(post, isSingle),
    refused: (post: ChannelPost) => void checked.set(post, undefined),
  };
  const onProgress = (done: number, total: number) =>
    progress(pages + done, pages + total, `checked ${done} of ${total} topics`);
  const { done, stopped } = await inBatches(candidates, step, { left, progress: onProgress });
  const others = single.filter((post) => checked.get(post) !== false);
  const unanswered = candidates.filter((post) => checked.get(post) === true);
  const topicsUnclear = [...checked.values()].filter((isSingle) => isSingle === undefined).length;
  const topicsLeft = candidates.length - done;
  return { unanswered, asking: lastPostAsks(posts, others), topicsLeft, topicsUnclear, stopped };
}

function noSuchChannels(names: readonly string[]): AcademyError {
  const message = `there is no channel with the id or slug ${listed(names.map((name) => asValue(oneLine(name, 60))))}`;
  return new AcademyError('not_found', message, { hint: 'Find channels with search_channels.' });
}

interface DigestQuestion {
  /** Ids or slugs; every channel if undefined. */
  readonly channels: readonly string[] | undefined;
  /** `last_7_days` if no bound is given. */
  readonly bounds: PeriodBounds & { readonly timezone?: string | undefined };
  readonly maxRequests: number;
}

/** One request per channel and page of 100 posts, and per topic to check. Throws `not_found` if no named channel exists. */
export async function readDigest(question: DigestQuestion, context: ToolContext) {
  const { channels: named, bounds: wanted, maxRequests } = question;
  const isOpen = wanted.created_after === undefined && wanted.created_before === undefined;
  const bounds = { ...wanted, period: wanted.period ?? (isOpen ? 'last_7_days' : undefined) };
  const period = await periodFor(bounds, context);
  const left = () => maxRequests - context.spent();
  const found = await findChannels(named, context, left());
  const own = { period: endsAt(context.now(), period) ? { from: period.from } : period, isNamed: named !== undefined };
  const all = await readPosts(found, own, maxRequests, context);
  const now = context.now().getTime();
  // Null is a draft, unless the platform gives no post a time of publication.
  const isTimed = all.posts.some(({ record }) => typeof record.published_at === 'string');
  const isHidden = ({ record }: ChannelPost) => isUnpublished(record, now) || (isTimed && record.published_at === null);
  const read = { ...all, posts: all.posts.filter((post) => !isHidden(post)) };
  const { stopped, ...checked } = await readUnanswered(read, left, context);
  return {
    period,
    bounds,
    read,
    /** Number of posts of the period that members do not see: drafts, hidden ones, or those scheduled for later. */
    unpublished: all.posts.length - read.posts.length,
    ...found,
    /** With those that do not exist. */
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

interface AllChannelsQuestion extends PostWords {
  /** The only channel; all by default. */
  readonly channel?: string | undefined;
  /** A slug, or a part of a name: the API has no such filter. */
  readonly author?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
  readonly maxRequests: number;
}

/** Whether the API cannot answer the question for one channel. */
export function isSelectedHere({ query, author }: Pick<AllChannelsQuestion, 'query' | 'author'>): boolean {
  return author !== undefined || alternativesIn(query) !== undefined;
}

/** Searches every channel, or one. Posts with one of several words, and posts of an author, are selected here. */
export async function searchAllChannels(
  { channel, author, query, topic_id, created_after, created_before, maxRequests }: AllChannelsQuestion,
  context: ToolContext,
) {
  const found = await findChannels(channel === undefined ? undefined : [channel], context);
  const alternatives = alternativesIn(query);
  const words = { query: alternatives === undefined ? query : undefined, topic_id };
  const to = timeOf(created_before);
  const period = { from: timeOf(created_after), ...(to === undefined ? {} : { to }) };
  const read = await readPosts(found, { period, words, isNamed: channel !== undefined }, maxRequests, context);
  const posts = read.posts.filter(
    ({ record }) =>
      (author === undefined || isBy(record, author)) && (alternatives === undefined || hasOneOf(record, alternatives)),
  );
  return { read: { ...read, posts }, found };
}

export type AllChannelsReading = Awaited<ReturnType<typeof searchAllChannels>>;
