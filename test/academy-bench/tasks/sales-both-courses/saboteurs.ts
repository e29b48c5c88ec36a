import type { Saboteurs } from '../../task.ts';
import { adds, misquotes } from '../../wrong.ts';

const period = { created_after: '2026-01-01', created_before: '2026-06-01' };

export const saboteurs: Saboteurs = {
  said: {
    'lists who bought either': async ({ call }) => {
      const products = ['Python from Zero', 'Data Analysis with SQL'];
      return (await call('find_buyers', { products, match: 'any', limit: 200, ...period })).text;
    },
    'leaves out who bought a bundle': misquotes('adebayo.okonkwo@example.com', ''),
    'adds who bought the second in June': adds('adebayo.eze@example.com'),
  },
};
