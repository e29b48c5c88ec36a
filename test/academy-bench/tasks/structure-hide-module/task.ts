import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';
import { also, does, says } from '../../wrong.ts';

export const check: Check = {
  writes: (academy) => {
    const { module_id, course_id } = lesson(academy, 'The kitchen');
    return academy.lessons.siblings(course_id, module_id).map(({ id }) => editLesson(id, { is_published: false }));
  },
  says: () => [],
  reads: () => [productNamed('Thirty Days'), '/api/v1/courses/13/lessons'],
};

export const oracle: Oracle = async ({ call }) => {
  const modules = (await call('get_course_structure', { course_id: 13 })).rows('modules');
  const week = modules.find(({ title }) => title === 'Week 4: places');
  const lessons = (week?.lessons ?? []) as { id: number }[];
  for (const { id } of lessons) {
    await call('update_lesson', { lesson_id: id, is_published: false });
  }
  return 'All seven are offline.';
};

const done = 'All seven are offline.';

export const saboteurs: Saboteurs = {
  state: {
    'claims it': says(done),
    'hides six of seven': does(
      done,
      ...[1290, 1291, 1292, 1293, 1294, 1295].map(
        (lesson_id) => ['update_lesson', { lesson_id, is_published: false }] as const,
      ),
    ),
    'hides the whole challenge': also('update_product', {
      product_type: 'challenge',
      id_or_slug: '13',
      is_published: false,
    }),
    'hides a lesson of another week': also('update_lesson', { lesson_id: 1289, is_published: false }),
  },
};
