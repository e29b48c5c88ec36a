import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  await call('get_course_structure', { course_id: 8 });
  const place = { course_id: 8, module_id: 237, position: 3 };
  await call('create_lesson', { ...place, title: 'When the starter smells odd', points: 10, is_published: false });
  return 'It is there, hidden.';
};
