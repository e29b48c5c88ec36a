import { exactly } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { buyers, ordersOf, productNamed, sold } from '../../truth.ts';
import { adds, misquotes } from '../../wrong.ts';

const period = { from: '2026-01-01', before: '2026-06-01' };
const wanted = ['Python from Zero', 'Data Analysis with SQL'];

export const check: Check = {
  says: (academy) => {
    const [one = [], other = []] = wanted.map((course) => buyers(academy, sold(academy, { ...period, course })));
    const emails = one.filter((email) => other.includes(email));
    return [exactly(academy, emails)];
  },
  reads: () => [...wanted.map(productNamed), ...ordersOf(period.from, period.before)],
};

export const oracle: Oracle = async ({ call }) => {
  const products = ['Python from Zero', 'Data Analysis with SQL'];
  const period = { created_after: '2026-01-01', created_before: '2026-06-01' };
  const found = await call('find_buyers', { products, match: 'all', ...period });
  return found.emails('buyers');
};

const bounds = { created_after: '2026-01-01', created_before: '2026-06-01' };

export const saboteurs: Saboteurs = {
  said: {
    'lists who bought either': async ({ call }) => {
      const products = ['Python from Zero', 'Data Analysis with SQL'];
      return (await call('find_buyers', { products, match: 'any', limit: 200, ...bounds })).text;
    },
    'leaves out who bought a bundle': misquotes('adebayo.okonkwo@example.com', ''),
    'adds who bought the second in June': adds('adebayo.eze@example.com'),
  },
};
