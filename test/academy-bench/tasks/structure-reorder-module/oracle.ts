import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  await call('get_course_structure', { course_id: 8 });
  const moves = [1177, 1176, 1175].map((lesson_id, index) => ({ lesson_id, module_id: 239, position: index + 1 }));
  const plan = await call('plan_course_outline', { course_id: 8, moves });
  await call('apply_course_outline', { course_id: 8, moves, base_version: plan.get('base_version'), confirm: true });
  return 'Done.';
};
