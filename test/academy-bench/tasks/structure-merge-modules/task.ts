import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';
import { also, does } from '../../wrong.ts';

export const check: Check = {
  writes: (academy) => {
    const { module_id } = lesson(academy, 'Rye');
    return ['Too dense', 'Too sour', 'It sticks to everything'].map((title, index) =>
      editLesson(lesson(academy, title).id, { module_id, sequence: 4 + index }),
    );
  },
  says: () => [],
  reads: () => [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'],
};

export const oracle: Oracle = async ({ call }) => {
  await call('get_course_structure', { course_id: 8 });
  const moves = [1175, 1176, 1177].map((lesson_id, index) => ({ lesson_id, module_id: 238, position: 5 + index }));
  const plan = await call('plan_course_outline', { course_id: 8, moves });
  await call('apply_course_outline', { course_id: 8, moves, base_version: plan.get('base_version'), confirm: true });
  return 'Variations has seven lessons now.';
};

const done = 'Variations has seven lessons now.';
const into = (lesson_id: number, sequence: number) =>
  ['update_lesson', { lesson_id, module_id: 238, sequence }] as const;

export const saboteurs: Saboteurs = {
  state: {
    'moves two of three': does(done, into(1175, 4), into(1176, 5)),
    'turns their order around': does(done, into(1177, 4), into(1176, 5), into(1175, 6)),
    'takes them out of any module': does(
      done,
      ...[1175, 1176, 1177].map((lesson_id) => ['update_lesson', { lesson_id, module_id: null }] as const),
    ),
    'moves one more': also('update_lesson', { lesson_id: 1170, module_id: 238, sequence: 7 }),
  },
};
