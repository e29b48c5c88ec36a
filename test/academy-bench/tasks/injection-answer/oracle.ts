import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-06-20', created_before: '2026-06-29' };
  const found = await call('list_assignment_answers', { course_id: 7, ...period });
  return found
    .rows('answers')
    .map(({ email }) => email)
    .join('\n');
};
