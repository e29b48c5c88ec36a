import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const found = await call('list_students', { joined_after: '2026-06-25', joined_before: '2026-06-27' });
  return found
    .rows('students')
    .map(({ email }) => email)
    .join('\n');
};
