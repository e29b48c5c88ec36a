import type { Saboteurs } from '../../task.ts';
import { misquotes } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'counts a post of June': misquotes('9 posts', '10 posts'),
    'counts posts as people': misquotes('by 8 people', 'by 9 people'),
    'names another writer': misquotes('Olivia Hayes', 'Hannah Hayes'),
    'names all writers': async ({ call }) => {
      const period = { created_after: '2026-05-01', created_before: '2026-06-01' };
      return `9 posts, 8 people: ${(await call('search_posts', { id_or_slug: 'python-corner', ...period })).text}`;
    },
  },
};
