import type * as z from 'zod';
import type { Tolerant } from '../contract/answer.ts';
import { type post, searchPosts } from '../contract/community.ts';
import type { DigestPost } from '../insights/digest.ts';
import type { Period } from '../insights/period.ts';
import { unlessAbsent } from './absent.ts';
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
  /** Channels that there are not. */
  readonly absent: string[];
  /** Channels of which every page was read. */
  readonly whole: string[];
  /** Channels of which pages are missing. */
  readonly cutShort: string[];
  /** Number of channels of which nothing was read. */
  readonly left: number;
  readonly pages: number;
  readonly stopped?: string | undefined;
}

/**
 * The posts of channels in a period, one request a page, as far as the terms allow: first a page of each, so that none is
 * silent because another is loud. New posts are later than the period, so that they do not shift its pages. `progress` hears
 * the number of pages that have been read, and of those known to be there.
 */
export async function readChannels(
  api: Api,
  channels: readonly string[],
  period: Period,
  { left, progress }: EachTerms,
): Promise<ChannelsRead> {
  const posts: ChannelPost[] = [];
  const state = new Map<string, 'begun' | 'whole' | 'absent'>();
  const those = (wanted: 'begun' | 'whole' | 'absent') => channels.filter((channel) => state.get(channel) === wanted);
  const open = () => channels.filter((channel) => (state.get(channel) ?? 'begun') === 'begun');
  let pages = 0;
  const keep = (channel: string, read: Awaited<ReturnType<typeof readPage>> | undefined) => {
    pages += 1;
    for (const post of read?.posts ?? []) posts.push(post);
    if (read === undefined) state.set(channel, 'absent');
    else state.set(channel, read.isLast ? 'whole' : 'begun');
  };
  const terms = { left, progress: () => progress(pages, pages + open().length) };
  let stopped: string | undefined;
  for (let page = 1; open().length > 0 && left() > 0 && stopped === undefined; page += 1) {
    const ask = (channel: string) => unlessAbsent(readPage(api, channel, { period, page }));
    ({ stopped } = await eachOf(open(), ask, keep, terms));
  }
  const parts = { absent: those('absent'), whole: those('whole'), cutShort: those('begun') };
  return { posts, ...parts, left: channels.length - state.size, pages, stopped };
}

/** Whether a topic has one post over all time, counted where the API does not tell how many there are. */
export async function hasOnePost(api: Api, { channel, topicId }: DigestPost): Promise<boolean> {
  if (topicId === undefined) return false;
  const asked = { id_or_slug: channel, topic_id: topicId, page: 1, per_page: 2 };
  const { items, meta } = await api.call(searchPosts, asked, { priority: 'bulk' });
  return (meta?.total_posts ?? items.length) === 1;
}
