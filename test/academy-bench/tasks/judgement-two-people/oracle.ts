import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const found = (await call('list_students', { name: 'Imogen Thackeray' })).rows('students');
  return `Two people have this name: ${found.map(({ email }) => email).join(' and ')}. Which one?`;
};
