import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-05-01', created_before: '2026-06-01' };
  const posts = await call('search_posts', { id_or_slug: 'python-corner', ...period });
  const authors = posts.rows('posts').map(({ author }) => String(author));
  const busy = authors.filter((name, index) => authors.indexOf(name) !== index);
  return `${posts.get('total')} posts by ${new Set(authors).size} people; ${busy.join(', ')} wrote more than one.`;
};
