import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const modules = (await call('get_course_structure', { course_id: 13 })).rows('modules');
  const week = modules.find(({ title }) => title === 'Week 4: places');
  const lessons = (week?.lessons ?? []) as { id: number }[];
  for (const { id } of lessons) {
    await call('update_lesson', { lesson_id: id, is_published: false });
  }
  return 'All seven are offline.';
};
