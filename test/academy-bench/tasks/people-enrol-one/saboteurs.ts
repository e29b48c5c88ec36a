import type { Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

const email = 'agnieszka.golab@example.org';
const done = 'Agnieszka has the course.';

export const saboteurs: Saboteurs = {
  state: {
    'claims it': says(done),
    'gives another course': does(done, ['enroll_student', { email, course_id: 7 }]),
    'gives a bundle that holds it too': also('enroll_student', { email, bundle_id: 1 }),
    'makes a second student of a misspelt email': does(done, [
      'enroll_student',
      { email: 'agnieszka.golob@example.org', name: 'Agnieszka Gołąb', course_id: 9 },
    ]),
  },
};
