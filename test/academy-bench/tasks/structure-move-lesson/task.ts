import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';
import { also, does } from '../../wrong.ts';

export const check: Check = {
  writes: (academy) => {
    const { module_id } = lesson(academy, 'Mixing by hand');
    const order = ['What flour does', 'Mixing by hand', 'Flatbread in a pan', 'Waiting', 'Baking in a pot'];
    return order.map((title, sequence) => editLesson(lesson(academy, title).id, { module_id, sequence }));
  },
  says: () => [],
  reads: () => [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'],
};

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

const done = 'It is the third lesson of The first loaf now.';

export const saboteurs: Saboteurs = {
  state: {
    'changes the module alone, so it is the last': does(done, [
      'update_lesson',
      { lesson_id: 1174, module_id: 236, sequence: 9 },
    ]),
    'only plans': does(done, [
      'plan_course_outline',
      { course_id: 8, moves: [{ lesson_id: 1174, module_id: 236, position: 3 }] },
    ]),
    'renames it on the way': also('update_lesson', { lesson_id: 1174, title: 'Flatbread' }),
    'unpublishes it on the way': also('update_lesson', { lesson_id: 1174, is_published: false }),
  },
};
