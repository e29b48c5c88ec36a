import type * as z from 'zod';
import type { Tolerant } from '../contract/answer.ts';
import { type post, searchPosts } from '../contract/community.ts';
import type { DigestPost } from '../insights/digest.ts';
import type { Period } from '../insights/period.ts';
import type { Api } from './client.ts';
import { type EachTerms, eachOf } from './each.ts';

export interface ChannelPost extends DigestPost {
  /** As the API gave it. */
  readonly record: Tolerant<z.infer<typeof post>>;
}

/** API document: "Limits". */
const perPage = 100;

function postOf(channel: string, record: ChannelPost['record']): ChannelPost {
  const at = Date.parse(record.created_at ?? '');
  return {
    channel,
    topicId: record.topic?.id,
    author: record.author?.slug ?? record.author?.name,
    at: Number.isNaN(at) ? undefined : at,
    record,
  };
}

/** The API does not say whether its bounds belong to the time: they are checked again here. */
function isWithin({ from, to }: Period, { at }: ChannelPost): boolean {
  return at === undefined || (at >= (from ?? Number.NEGATIVE_INFINITY) && at < to);
}

/** One page of 100 of the posts of a channel in a period, newest first. */
async function readPage(api: Api, channel: string, { period, page }: { period: Period; page: number }) {
  const { from, to } = period;
  const after = from === undefined ? {} : { created_after: new Date(from - 1).toISOString() };
  const asked = { id_or_slug: channel, created_before: new Date(to).toISOString(), per_page: perPage, ...after };
  const { items, meta } = await api.call(searchPosts, { ...asked, page }, page === 1 ? {} : { priority: 'bulk' });
  const isLast = meta?.total_pages === undefined ? items.length < perPage : page >= meta.total_pages;
  const posts = items.map((record) => postOf(channel, record)).filter((post) => isWithin(period, post));
  return { posts, isLast };
}

export interface ChannelsRead {
  readonly posts: ChannelPost[];
  /** Channels of which pages are missing. */
  readonly cutShort: string[];
  /** Number of channels of which nothing was read. */
  readonly left: number;
  readonly stopped?: string | undefined;
}

/**
 * The posts of channels in a period, one request a page, as far as the terms allow: first a page of each, so that none is
 * silent because another is loud. New posts are later than the period, so that they do not shift its pages.
 */
export async function readChannels(
  api: Api,
  channels: readonly string[],
  period: Period,
  { left, progress }: EachTerms,
): Promise<ChannelsRead> {
  const posts: ChannelPost[] = [];
  const begun = new Set<string>();
  const whole = new Set<string>();
  const open = () => channels.filter((channel) => !whole.has(channel));
  const keep = (channel: string, { posts: own, isLast }: Awaited<ReturnType<typeof readPage>>) => {
    posts.push(...own);
    begun.add(channel);
    if (isLast) whole.add(channel);
  };
  const terms = { left, progress: () => progress(whole.size, channels.length) };
  let stopped: string | undefined;
  for (let page = 1; open().length > 0 && left() > 0 && stopped === undefined; page += 1) {
    ({ stopped } = await eachOf(open(), (channel) => readPage(api, channel, { period, page }), keep, terms));
  }
  const cutShort = open().filter((channel) => begun.has(channel));
  return { posts, cutShort, left: channels.length - begun.size, stopped };
}

/** Number of posts of a topic over all time; undefined where the API does not count them. */
export async function countTopicPosts(api: Api, { channel, topicId }: DigestPost): Promise<number | undefined> {
  if (topicId === undefined) return undefined;
  const asked = { id_or_slug: channel, topic_id: topicId, page: 1, per_page: 1 };
  return (await api.call(searchPosts, asked, { priority: 'bulk' })).meta?.total_posts;
}
