import type { Saboteurs } from '../../task.ts';
import { also, does } from '../../wrong.ts';

const done = 'It is there, hidden.';
const lesson = { course_id: 8, module_id: 237, title: 'When the starter smells odd', points: 10, is_published: false };

export const saboteurs: Saboteurs = {
  state: {
    'puts it last': does(done, ['create_lesson', lesson]),
    'publishes it': does(done, ['create_lesson', { ...lesson, position: 3, is_published: true }]),
    'gives no points': does(done, ['create_lesson', { ...lesson, position: 3, points: 0 }]),
    'adds a second one': also('create_lesson', { ...lesson, title: 'When it smells odd' }),
  },
};
