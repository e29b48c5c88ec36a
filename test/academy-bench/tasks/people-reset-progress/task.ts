import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { access, courseId, productNamed } from '../../truth.ts';
import { also, does } from '../../wrong.ts';

const course = 'Python from Zero';

export const check: Check = {
  writes: (academy) => [
    access('reset-course-progress', { email: 'gul.schaferlind@example.net', course_id: courseId(academy, course) }),
  ],
  says: () => [],
  reads: () => [productNamed(course)],
};

export const oracle: Oracle = async ({ call }) => {
  const [course] = (await call('search_products', { query: 'Python from Zero' })).rows('products');
  const args = { email: 'gul.schaferlind@example.net', course_id: course?.id };
  await call('reset_course_progress', { ...args, confirm: true });
  return 'Gül starts at 0 again.';
};

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
