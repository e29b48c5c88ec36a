import { sums } from '../../support/sales.ts';
import { count, money } from '../facts.ts';
import type { Tasks } from '../task.ts';
import { access, courseId, editLesson, lesson, ordersOf, productNamed, sold } from '../truth.ts';
import { also, claimed, does, misquotes, says } from '../wrong.ts';

/** The first two readings of orders are refused. */
let refusals = 0;
const april = { created_after: '2026-04-01', created_before: '2026-05-01' };
const course = 'Watercolour Basics';
const three = [
  { email: 'ewan.begum@example.net' },
  { email: 'itzel.quinones2@example.com', name: 'Itzel Quiñones Mora' },
  { email: 'freya.llewellyn@example.com' },
];
const first = { email: 'ewan.begum@example.net', course_id: 6 };

export const faults: Tasks = {
  'changed-course': {
    instruction:
      'In "Bread at Home", move "Timetable for working people", which is in no module, to the first place of the module "The first loaf". A colleague is working on that course as well; leave the changes of the colleague alone.',
    requests: 60,
    /** The colleague renames a lesson and hides another, after the course was read once or before the first write. */
    arrangement: {
      others: {
        when: ([method, path], earlier) => method !== 'GET' || (path.endsWith('/courses/8/lessons') && earlier > 0),
        writes: [
          ['PATCH', '/api/v1/lessons/1165', { title: 'Baking in a pot, step by step' }],
          ['PATCH', '/api/v1/lessons/1164', { is_published: false }],
        ],
      },
    },
    writes: (academy) => {
      const { module_id } = lesson(academy, 'Waiting');
      const order = ['Timetable for working people', 'What flour does', 'Mixing by hand', 'Waiting', 'Baking in a pot'];
      return order.map((title, sequence) => editLesson(lesson(academy, title).id, { module_id, sequence }));
    },
    reads: () => [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'],
    oracle: async ({ call }) => {
      const moves = [{ lesson_id: 1179, module_id: 236, position: 1 }];
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const plan = await call('plan_course_outline', { course_id: 8, moves });
        const base = { base_version: plan.get('base_version'), confirm: true };
        if ((await call('apply_course_outline', { course_id: 8, moves, ...base })).code === 'ok')
          return 'It is the first.';
      }
      return 'Done.';
    },
    saboteurs: {
      state: {
        'claims it': claimed,
        'writes the old title back': also('update_lesson', { lesson_id: 1165, title: 'Baking in a pot' }),
        'publishes what the colleague hid': also('update_lesson', { lesson_id: 1164, is_published: true }),
        'gives it a place that another has': does(['update_lesson', { lesson_id: 1179, module_id: 236, sequence: 1 }]),
      },
    },
  },
  'rate-limit': {
    instruction:
      'What did we take in April 2026 in each currency, and in how many orders? Card and wallet count, free access does not. The system is busy today; I would rather wait than get wrong figures.',
    requests: 40,
    arrangement: {
      arrange: () => {
        refusals = 2;
      },
      fault: ([method, path]) => {
        if (method !== 'GET' || !path.startsWith('/api/v1/orders') || refusals === 0) return undefined;
        refusals -= 1;
        return { status: 429 };
      },
    },
    says: (academy) => {
      const orders = sold(academy, april);
      return [...Object.values(sums(orders)).map(money), count(orders.length)];
    },
    reads: () => ordersOf(april),
    oracle: async ({ call }) => {
      const report = await call('sales_report', april);
      const sums = report.entries('totals.revenue').map(([currency, sum]) => `${sum} ${currency}`);
      return `${sums.join(', ')} in ${report.get('totals.orders')} orders.`;
    },
    saboteurs: {
      said: {
        'gives up': says('The system is busy; please ask again later.'),
        'counts free orders': misquotes('33 orders', '36 orders'),
        'leaves out a currency': async ({ oracle }) => (await oracle()).replace(/^[^,]+, /, ''),
      },
    },
  },
  'unclear-enrolment': {
    instruction:
      'Give these three free access to "Watercolour Basics": ewan.begum@example.net, itzel.quinones2@example.com (new, her name is Itzel Quiñones Mora) and freya.llewellyn@example.com. Nobody may get it twice, even if the system has trouble on the way.',
    requests: 60,
    /** The academy does the work for the first person, and then answers 500. */
    arrangement: {
      fault: ([, path, body], earlier) => {
        const isFirst = path === '/api/v1/student/enroll' && earlier === 0 && body !== undefined;
        return isFirst ? { status: 500, afterWork: true } : undefined;
      },
    },
    writes: (academy) => three.map((person) => access('enroll', { ...person, course_id: courseId(academy, course) })),
    reads: () => [productNamed(course), '/api/v1/orders?status=all&user_email=ewan.begum@example.net'],
    oracle: async ({ call }) => {
      await call('sync_roster', { students: three, product: 'course 6', confirm: true });
      return 'Done.';
    },
    saboteurs: {
      state: {
        'claims it': claimed,
        'stops at the failure': does(['enroll_student', first]),
        'gives it to a fourth': also('enroll_student', { email: 'wesley.brooks@example.com', course_id: 6 }),
        'has the new one under an old address': does([
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
    },
  },
};
