import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-06-01', created_before: '2026-07-01' };
  const [post] = (await call('search_posts', { query: 'Swiss', ...period })).rows('posts');
  const { name } = (await call('get_channel', { id_or_slug: String(post?.channel) })).data;
  return `${post?.author} asked in ${name} on ${post?.created_at}.`;
};
