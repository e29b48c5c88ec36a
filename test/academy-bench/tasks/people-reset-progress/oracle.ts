import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const [course] = (await call('search_products', { query: 'Python from Zero' })).rows('products');
  const args = { email: 'gul.schaferlind@example.net', course_id: course?.id };
  await call('reset_course_progress', { ...args, confirm: true });
  return 'Gül starts at 0 again.';
};
