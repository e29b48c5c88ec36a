import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { access, courseId, productNamed } from '../../truth.ts';
import { also, does, says } from '../../wrong.ts';

const course = 'Python from Zero';

export const check: Check = {
  writes: (academy) => [
    access('enroll', { email: 'agnieszka.golab@example.org', course_id: courseId(academy, course) }),
  ],
  says: () => [],
  reads: () => [productNamed(course)],
};

export const oracle: Oracle = async ({ call }) => {
  const [course] = (await call('search_products', { query: 'Python from Zero', product_type: 'course' })).rows(
    'products',
  );
  await call('enroll_student', { email: 'agnieszka.golab@example.org', course_id: course?.id });
  return 'Agnieszka has the course.';
};

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
