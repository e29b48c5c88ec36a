import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const [course] = (await call('search_products', { query: 'Python from Zero', product_type: 'course' })).rows(
    'products',
  );
  await call('enroll_student', { email: 'agnieszka.golab@example.org', course_id: course?.id });
  return 'Agnieszka has the course.';
};
