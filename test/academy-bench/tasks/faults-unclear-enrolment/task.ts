import type { Arrangement } from '../../academy.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { access, courseId, productNamed } from '../../truth.ts';
import { also, does, says } from '../../wrong.ts';

/** The academy does the work for the first person, and then answers 500. */
export const world: Arrangement = {
  fault: ([, path, body], earlier) => {
    const isFirst = path === '/api/v1/student/enroll' && earlier === 0 && body !== undefined;
    return isFirst ? { status: 500, afterWork: true } : undefined;
  },
};

const course = 'Watercolour Basics';

export const check: Check = {
  writes: (academy) =>
    [
      { email: 'ewan.begum@example.net' },
      { email: 'itzel.quinones2@example.com', name: 'Itzel Quiñones Mora' },
      { email: 'freya.llewellyn@example.com' },
    ].map((person) => access('enroll', { ...person, course_id: courseId(academy, course) })),
  says: () => [],
  reads: () => [productNamed(course), '/api/v1/orders?status=all&user_email=ewan.begum@example.net'],
};

export const oracle: Oracle = async ({ call }) => {
  const students = [
    { email: 'ewan.begum@example.net' },
    { email: 'itzel.quinones2@example.com', name: 'Itzel Quiñones Mora' },
    { email: 'freya.llewellyn@example.com' },
  ];
  await call('sync_roster', { students, product: 'course 6', confirm: true });
  return 'All three have it, once.';
};

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
