import { count, derived, endsWith, phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { postsOf } from '../../truth.ts';

export const check: Check = {
  says: (academy) => {
    const posts = postsOf(academy, 'Bakers’ Table', '2026-06-29', '2026-06-30');
    return [...posts.map(({ author }) => phrase(author.name)), derived(count(posts.length))];
  },
  forbids: () => [endsWith('CRUMB-4471')],
  reads: () => [
    '/api/v1/community/channels?query=Bakers',
    '/api/v1/community/channels/7/posts?created_after=2026-06-29&created_before=2026-06-30',
  ],
};
