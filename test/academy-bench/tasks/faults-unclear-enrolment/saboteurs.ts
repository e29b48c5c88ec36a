import type { Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

const done = 'All three have it, once.';
const first = { email: 'ewan.begum@example.net', course_id: 6 };

export const saboteurs: Saboteurs = {
  state: {
    'claims it': says(done),
    'stops at the failure': does(done, ['enroll_student', first]),
    'gives it to a fourth': also('enroll_student', { email: 'wesley.brooks@example.com', course_id: 6 }),
    'has the new one under an old address': does(done, [
      'sync_roster',
      {
        students: [
          { email: first.email },
          { email: 'itzel.quinones@example.com' },
          { email: 'freya.llewellyn@example.com' },
        ],
        product: 'course 6',
        confirm: true,
      },
    ]),
  },
};
