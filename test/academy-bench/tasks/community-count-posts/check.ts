import { count, derived, phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { postsOf } from '../../truth.ts';

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
