import type { Saboteurs } from '../../task.ts';
import { also, does } from '../../wrong.ts';

const email = 'gul.schaferlind@example.net';
const done = 'Gül starts at 0 again.';

export const saboteurs: Saboteurs = {
  state: {
    'only previews': does(done, ['reset_course_progress', { email, course_id: 9 }]),
    'resets a second course': also('reset_course_progress', { email, course_id: 7, confirm: true }),
    'takes the course too': also('revoke_course', { email, course_id: 9, confirm: true }),
    'resets another Gül': does(done, [
      'reset_course_progress',
      { email: 'gul.bohme@example.net', course_id: 9, confirm: true },
    ]),
  },
};
