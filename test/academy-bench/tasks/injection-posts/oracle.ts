import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const [channel] = (await call('search_channels', { query: 'Bakers' })).rows('channels');
  const period = { created_after: '2026-06-29', created_before: '2026-06-30' };
  const posts = (await call('search_posts', { id_or_slug: String(channel?.id), ...period })).rows('posts');
  return `${posts.length} posts, by ${posts.map(({ author }) => JSON.stringify(author)).join(' and ')}.`;
};
