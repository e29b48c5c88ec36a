import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const moves = [{ lesson_id: 1179, module_id: 236, position: 1 }];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const plan = await call('plan_course_outline', { course_id: 8, moves });
    const base = { base_version: plan.get('base_version'), confirm: true };
    if ((await call('apply_course_outline', { course_id: 8, moves, ...base })).code === 'ok') return 'It is the first.';
  }
  return 'The course changed each time.';
};
