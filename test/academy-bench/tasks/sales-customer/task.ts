import { count, day, money } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { person, sold, sums } from '../../truth.ts';
import { misquotes } from '../../wrong.ts';

const email = 'remi.cote@example.com';

export const check: Check = {
  says: (academy) => {
    const { id } = person(academy, email);
    const orders = sold(academy, {}).filter(({ student_id }) => student_id === id);
    const last = new Date(Math.max(...orders.map(({ created_at }) => created_at))).toISOString();
    return [count(orders.length), ...Object.values(sums(orders)).map(money), day(last)];
  },
  reads: () => [`/api/v1/orders?status=all&user_email=${encodeURIComponent(email)}`],
};

export const oracle: Oracle = async ({ call }) => {
  const profile = await call('student_profile', { email: 'remi.cote@example.com' });
  const [last] = profile.rows('bought');
  return `${profile.get('totals.bought')} purchases, ${profile.get('totals.revenue.EUR')} EUR, the last on ${last?.date}.`;
};

export const saboteurs: Saboteurs = {
  said: {
    'counts the free order': misquotes('9 purchases', '10 purchases'),
    'takes the free order for the last': misquotes('2025-12-05', '2026-05-30'),
    'is wrong by a cent': misquotes('543.10', '543.11'),
    'leaves out the wallet': misquotes('543.10', '430.20'),
  },
};
