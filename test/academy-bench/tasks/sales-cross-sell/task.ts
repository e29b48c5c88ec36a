import { exactly } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { buyers, ordersOf, productNamed, sold } from '../../truth.ts';
import { adds, says } from '../../wrong.ts';

const period = { from: '2026-03-01', before: '2026-06-01' };
const wanted = 'Bookkeeping for Freelancers';
const offered = 'Write Clearly at Work';

export const check: Check = {
  says: (academy) => {
    const had = [true, false].flatMap((free) => buyers(academy, sold(academy, { course: offered, free })));
    const bought = buyers(academy, sold(academy, { ...period, course: wanted }));
    const emails = bought.filter((email) => !had.includes(email));
    return [exactly(academy, emails)];
  },
  reads: () => [productNamed(wanted), productNamed(offered), ...ordersOf('2024-01-01', '2026-07-01')],
};

export const oracle: Oracle = async ({ call }) => {
  const products = { product: 'Bookkeeping for Freelancers', without: ['Write Clearly at Work'] };
  const found = await call('find_buyers', { ...products, created_after: '2026-03-01', created_before: '2026-06-01' });
  return found.emails('buyers');
};

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
