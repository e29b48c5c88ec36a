import type { Saboteurs } from '../../task.ts';
import { also, does } from '../../wrong.ts';

const email = 'freya.begum@example.net';
const done = 'Freya no longer has the course.';

export const saboteurs: Saboteurs = {
  state: {
    'only previews': does(done, ['revoke_course', { email, course_id: 3 }]),
    'takes everything': does(done, ['offboard_student', { email, confirm: true }]),
    'takes another course': does(done, ['revoke_course', { email, course_id: 2, confirm: true }]),
    'ends the paying status too': also('unenroll_student', { email, confirm: true }),
  },
};
