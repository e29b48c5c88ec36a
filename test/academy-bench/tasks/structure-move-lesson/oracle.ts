import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const [course] = (await call('search_products', { query: 'Bread at Home' })).rows('products');
  await call('get_course_structure', { course_id: course?.id });
  const moves = [{ lesson_id: 1174, module_id: 236, position: 3 }];
  const plan = await call('plan_course_outline', { course_id: course?.id, moves });
  await call('apply_course_outline', {
    course_id: course?.id,
    moves,
    base_version: plan.get('base_version'),
    confirm: true,
  });
  return 'It is the third lesson of The first loaf now.';
};
