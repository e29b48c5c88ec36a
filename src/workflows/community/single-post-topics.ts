import type { Api } from '../../api/api.ts';
import { searchPosts } from '../../contract/community.ts';
import { type ChannelPost, postOf } from './post-pages.ts';

/**
 * Whether a topic has one post over all time. Undefined where the answer does not tell: it shows posts of other topics, or
 * none. Where the API does not say how many posts there are, or says fewer than it shows, they are counted.
 */
export async function isAlone(api: Api, { channel, topicId }: ChannelPost): Promise<boolean | undefined> {
  if (topicId === undefined) return undefined;
  const asked = { id_or_slug: channel, topic_id: topicId, page: 1, per_page: 2 };
  const { items, meta } = await api.call(searchPosts, asked, { priority: 'bulk' });
  const topics = items.map((record) => postOf(channel, record).topicId);
  if (topics.some((topic) => topic !== undefined && topic !== topicId)) return undefined;
  if (items.length === 0) return undefined;
  return Math.max(meta?.total_posts ?? 0, items.length) === 1;
}
