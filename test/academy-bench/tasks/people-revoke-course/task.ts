import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { access, courseId, productNamed } from '../../truth.ts';
import { also, does } from '../../wrong.ts';

const course = 'Write Clearly at Work';

export const check: Check = {
  writes: (academy) => [
    access('revoke-course', {
      email: 'freya.begum@example.net',
      name: 'Freya Begum',
      course_id: courseId(academy, course),
    }),
  ],
  says: () => [],
  reads: () => [productNamed(course)],
};

export const oracle: Oracle = async ({ call }) => {
  const [course] = (await call('search_products', { query: 'Write Clearly at Work' })).rows('products');
  const args = { email: 'freya.begum@example.net', course_id: course?.id };
  await call('revoke_course', args);
  await call('revoke_course', { ...args, confirm: true });
  return 'Freya no longer has the course.';
};

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
