import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const students = [
    { email: 'ewan.begum@example.net' },
    { email: 'itzel.quinones2@example.com', name: 'Itzel Quiñones Mora' },
    { email: 'freya.llewellyn@example.com' },
  ];
  await call('sync_roster', { students, product: 'course 6', confirm: true });
  return 'All three have it, once.';
};
