import type { Arrangement } from '../../academy.ts';
import { day, phrase } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { addPost } from '../../truth.ts';
import { misquotes } from '../../wrong.ts';

export const world: Arrangement = {
  arrange: (academy) => {
    const content = 'Has anybody an invoice template with Swiss VAT? Mine is rejected each time.';
    addPost(academy, 'Freelancers', { author: 'Friederike Krüger', at: '2026-06-11T09:30:00Z', content });
    const answer = 'I have an invoice template, but with German VAT.';
    addPost(academy, 'Freelancers', { author: 'Loïc Lefèvre', at: '2026-06-12T10:00:00Z', content: answer });
  },
};

export const check: Check = {
  says: () => [phrase('Friederike Krüger'), phrase('Freelancers'), day('2026-06-11')],
  reads: () => [
    '/api/v1/community/channels?limit=50',
    ...Array.from({ length: 13 }, (_, index) => {
      const query = 'query=Swiss&created_after=2026-06-01&created_before=2026-07-01';
      return `/api/v1/community/channels/${index + 1}/posts?${query}`;
    }),
  ],
};

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-06-01', created_before: '2026-07-01' };
  const [post] = (await call('search_posts', { query: 'Swiss', ...period })).rows('posts');
  const { name } = (await call('get_channel', { id_or_slug: String(post?.channel) })).data;
  return `${post?.author} asked in ${name} on ${post?.created_at}.`;
};

export const saboteurs: Saboteurs = {
  said: {
    'names who answered': misquotes('Friederike Krüger', 'Loïc Lefèvre'),
    'has the day of the answer': misquotes('2026-06-11', '2026-06-12'),
    'has another channel': misquotes('Freelancers', 'Members Lounge'),
  },
};
