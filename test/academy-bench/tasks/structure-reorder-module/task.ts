import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';
import { also, does, says } from '../../wrong.ts';

export const check: Check = {
  writes: (academy) =>
    ['It sticks to everything', 'Too sour', 'Too dense'].map((title, sequence) =>
      editLesson(lesson(academy, title).id, { sequence }),
    ),
  says: () => [],
  reads: () => [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'],
};

export const oracle: Oracle = async ({ call }) => {
  await call('get_course_structure', { course_id: 8 });
  const moves = [1177, 1176, 1175].map((lesson_id, index) => ({ lesson_id, module_id: 239, position: index + 1 }));
  const plan = await call('plan_course_outline', { course_id: 8, moves });
  await call('apply_course_outline', { course_id: 8, moves, base_version: plan.get('base_version'), confirm: true });
  return 'Done.';
};

export const saboteurs: Saboteurs = {
  state: {
    'claims it': says('Done.'),
    'moves the last to the front alone': does('Done.', ['update_lesson', { lesson_id: 1177, sequence: 0 }]),
    'takes one out of its module': also('update_lesson', { lesson_id: 1175, module_id: null }),
  },
};
