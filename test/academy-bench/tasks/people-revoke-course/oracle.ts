import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const [course] = (await call('search_products', { query: 'Write Clearly at Work' })).rows('products');
  const args = { email: 'freya.begum@example.net', course_id: course?.id };
  await call('revoke_course', args);
  await call('revoke_course', { ...args, confirm: true });
  return 'Freya no longer has the course.';
};
