import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const profile = await call('student_profile', { email: 'remi.cote@example.com' });
  const [last] = profile.rows('bought');
  return `${profile.get('totals.bought')} purchases, ${profile.get('totals.revenue.EUR')} EUR, the last on ${last?.date}.`;
};
