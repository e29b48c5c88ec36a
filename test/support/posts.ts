import type { Sandbox } from '../../src/sandbox/index.ts';
import { row, words } from './academy.ts';
import { truths } from './truth.ts';

// Posts read directly from the API, not through the program. Nothing here may come from src/insights.

export interface RawPost {
  channel: string;
  id: unknown;
  topic: unknown;
  author: unknown;
  at: number;
  isPublished: boolean;
}

async function channelsOf(sandbox: Sandbox): Promise<string[]> {
  return (await truths(sandbox, '/api/v1/community/channels?limit=50', 'channels')).map(({ slug }) => words(slug));
}

/** Every post of a channel over all time, newest first. */
export async function rawPosts(sandbox: Sandbox, channel: string): Promise<RawPost[]> {
  const found: RawPost[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/api/v1/community/channels/${channel}/posts?per_page=100&page=${page}`;
    const posts = await truths(sandbox, path, 'posts');
    for (const { id, topic, author, created_at, published_at } of posts) {
      const at = Date.parse(words(created_at));
      found.push({
        channel,
        id,
        topic: row(topic).id,
        author: row(author).slug,
        at,
        isPublished: published_at !== null,
      });
    }
    if (posts.length < 100) return found;
  }
}

export async function everyPost(sandbox: Sandbox): Promise<RawPost[]> {
  return (await Promise.all((await channelsOf(sandbox)).map((channel) => rawPosts(sandbox, channel)))).flat();
}
