import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-01-01', created_before: '2026-06-01' };
  const progress = await call('course_progress', { course_id: 6, ...period });
  return progress
    .rows('not_started')
    .map(({ email }) => email)
    .join('\n');
};
