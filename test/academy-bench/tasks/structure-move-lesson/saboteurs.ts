import type { Saboteurs } from '../../task.ts';
import { also, does } from '../../wrong.ts';

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
