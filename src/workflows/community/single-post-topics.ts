import type { Api } from '../../api/api.ts';
import { listClaims } from '../../api/http/list-claims.ts';
import { searchPosts } from '../../contract/community.ts';
import { type ChannelPost, postOf } from './post-pages.ts';

/**
 * Whether a topic has exactly one post over all time. Undefined if the response shows posts of other topics, or none. Counts the
 * posts if the API gives no total, or a total below the number shown.
 */
export async function hasSinglePost(api: Api, { channel, topicId }: ChannelPost): Promise<boolean | undefined> {
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
