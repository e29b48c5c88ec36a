import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  await call('get_course_structure', { course_id: 5 });
  await call('update_lesson', { lesson_id: 1095, title: 'Printing your best picture', is_published: true });
  return 'It is renamed and public.';
};
