import type * as z from 'zod';
import type { Tolerant } from '../contract/answer.ts';
import { type post, searchPosts } from '../contract/community.ts';
import type { DigestPost } from '../insights/digest.ts';
import type { Period } from '../insights/period.ts';
import type { Api } from './client.ts';

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

/**
 * The posts of one channel in a period, newest first, one request a page of 100, as long as `left` allows;
 * `isWhole` tells whether that was enough. New posts are later than the period, so that they do not shift its pages.
 */
export async function readChannelPosts(
  api: Api,
  channel: string,
  period: Period,
  left: () => number,
): Promise<{ posts: ChannelPost[]; isWhole: boolean }> {
  const { from, to } = period;
  const after = from === undefined ? {} : { created_after: new Date(from - 1).toISOString() };
  const asked = { id_or_slug: channel, created_before: new Date(to).toISOString(), per_page: perPage, ...after };
  const posts: ChannelPost[] = [];
  for (let page = 1; ; page += 1) {
    const { items, meta } = await api.call(searchPosts, { ...asked, page }, page === 1 ? {} : { priority: 'bulk' });
    posts.push(...items.map((record) => postOf(channel, record)));
    const isLast = meta?.total_pages === undefined ? items.length < perPage : page >= meta.total_pages;
    if (isLast || left() <= 0) return { posts: posts.filter((post) => isWithin(period, post)), isWhole: isLast };
  }
}

/** Number of posts of a topic over all time; undefined where the API does not count them. */
export async function countTopicPosts(api: Api, { channel, topicId }: DigestPost): Promise<number | undefined> {
  if (topicId === undefined) return undefined;
  const asked = { id_or_slug: channel, topic_id: topicId, page: 1, per_page: 1 };
  return (await api.call(searchPosts, asked, { priority: 'bulk' })).meta?.total_posts;
}
