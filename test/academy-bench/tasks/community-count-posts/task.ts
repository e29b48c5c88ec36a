import { count, derived, phrase } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { postsOf } from '../../truth.ts';
import { misquotes } from '../../wrong.ts';

export const check: Check = {
  says: (academy) => {
    const authors = postsOf(academy, 'Python Corner', '2026-05-01', '2026-06-01').map(({ author }) => author.name);
    const busy = authors.filter((name, index) => authors.indexOf(name) !== index);
    return [count(authors.length), derived(count(new Set(authors).size)), ...busy.map(phrase)];
  },
  reads: () => [
    '/api/v1/community/channels?query=Python',
    '/api/v1/community/channels/5/posts?created_after=2026-05-01&created_before=2026-06-01',
  ],
};

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-05-01', created_before: '2026-06-01' };
  const posts = await call('search_posts', { id_or_slug: 'python-corner', ...period });
  const authors = posts.rows('posts').map(({ author }) => String(author));
  const busy = authors.filter((name, index) => authors.indexOf(name) !== index);
  return `${posts.get('total')} posts by ${new Set(authors).size} people; ${busy.join(', ')} wrote more than one.`;
};

export const saboteurs: Saboteurs = {
  said: {
    'counts a post of June': misquotes('9 posts', '10 posts'),
    'counts posts as people': misquotes('by 8 people', 'by 9 people'),
    'names another writer': misquotes('Olivia Hayes', 'Hannah Hayes'),
  },
};
