import type { Saboteurs } from '../../task.ts';
import { adds, says } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'does not look outside the period': adds('jordan.whitaker@mail.example.com'),
    'lists all buyers': async ({ call }) => {
      const period = { created_after: '2026-03-01', created_before: '2026-06-01' };
      return (await call('find_buyers', { product: 'Bookkeeping for Freelancers', ...period })).text;
    },
    'finds nobody': says('Nobody: all of them have it.'),
  },
};
