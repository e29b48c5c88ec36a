import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';
import { also, does } from '../../wrong.ts';

export const check: Check = {
  writes: (academy) => {
    const { module_id, course_id } = lesson(academy, 'Feeding it');
    const later = ['Reading the dough', 'Shaping', 'Scoring'];
    const fields = { title: 'When the starter smells odd', module_id, points: 10, is_published: false, sequence: 2 };
    return [
      ...later.map((title, index) => editLesson(lesson(academy, title).id, { sequence: index + 3 })),
      ['POST', `/api/v1/courses/${course_id}/lessons`, fields],
    ];
  },
  says: () => [],
  reads: () => [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'],
};

export const oracle: Oracle = async ({ call }) => {
  await call('get_course_structure', { course_id: 8 });
  const place = { course_id: 8, module_id: 237, position: 3 };
  await call('create_lesson', { ...place, title: 'When the starter smells odd', points: 10, is_published: false });
  return 'It is there, hidden.';
};

const done = 'It is there, hidden.';
const added = { course_id: 8, module_id: 237, title: 'When the starter smells odd', points: 10, is_published: false };

export const saboteurs: Saboteurs = {
  state: {
    'puts it last': does(done, ['create_lesson', added]),
    'publishes it': does(done, ['create_lesson', { ...added, position: 3, is_published: true }]),
    'gives no points': does(done, ['create_lesson', { ...added, position: 3, points: 0 }]),
    'adds a second one': also('create_lesson', { ...added, title: 'When it smells odd' }),
  },
};
