import type { Academy } from '../../../src/sandbox/state/academy.ts';
import { day, exactly, money, oneOf, phrase } from '../facts.ts';
import type { Tasks } from '../task.ts';
import { access, buyers, courseId, idOf, ordersOf, person, productNamed, sold } from '../truth.ts';
import { adds, also, claimed, does, misquotes, says } from '../wrong.ts';

const python = 'Python from Zero';
const watercolour = 'Watercolour Basics';
const writing = 'Write Clearly at Work';
const bundle = 'Team Licence: Spreadsheets';
const lucja = 'lucja.zoltowski@mail.example.com';
const unpaid =
  "failed|failure|unpaid|declined|rejected|unsuccessful|never paid|never went through|not paid|not completed|not go through|didn't go through";
const agnieszka = 'agnieszka.golab@example.org';
const team = ['wesley.brooks', 'carter.delgado', 'anais.lefevre'].map((name) => ({ email: `${name}@example.com` }));
const hannah = 'hannah.castillo@example.com';
const mina = { email: 'mina.aldous@example.com', name: 'Mina Aldous' };
const period = { created_after: '2026-01-01', created_before: '2026-06-01' };
const buyersOf = (academy: Academy) => buyers(academy, sold(academy, { ...period, course: watercolour }));
const poppy = { email: 'poppy.pemberton@example.org', name: 'Poppy Pemberton' };
const gul = 'gul.schaferlind@example.net';
const freya = 'freya.begum@example.net';
const harvey = 'harvey.begum@example.org';

export const people: Tasks = {
  diagnose: {
    instruction:
      'Łucja Żółtowski (lucja.zoltowski@mail.example.com) writes that she cannot open "Write Clearly at Work" although she ordered it. What is the reason, on which day was her order, and how much was it? Do not change anything.',
    requests: 40,
    says: (academy) => {
      const { id } = person(academy, lucja);
      const [order] = sold(academy, { course: writing, statuses: ['failed'] }).filter(
        ({ student_id }) => student_id === id,
      );
      if (order === undefined) throw new Error('no failed order');
      return [
        day(new Date(order.created_at).toISOString()),
        money(order.amount),
        oneOf(...unpaid.split('|').map(phrase)),
      ];
    },
    reads: () => [`/api/v1/orders?status=all&user_email=${lucja}`, `/api/v1/students/details?email=${lucja}`],
    oracle: async ({ call }) => {
      const found = await call('diagnose_access', { email: lucja, product: writing });
      const [order] = found.rows('unpaid');
      return `The payment of her order of ${String(order?.created_at).slice(0, 10)} (${order?.amount}) ${order?.status}.`;
    },
    saboteurs: {
      state: { 'gives her the course': also('enroll_student', { email: lucja, course_id: 3 }) },
      said: {
        'blames publication': says('The course of 17 June for 59.00 is not published.'),
        'has another order': misquotes('2026-06-17', '2026-06-12'),
        'has the price alone': misquotes('2026-06-17', 'last month'),
      },
    },
  },
  'enrol-one': {
    instruction:
      'Please give Agnieszka Gołąb (agnieszka.golab@example.org) free access to the course "Python from Zero".',
    requests: 30,
    writes: (academy) => [access('enroll', { email: agnieszka, course_id: courseId(academy, python) })],
    reads: () => [productNamed(python)],
    oracle: async ({ call }) => {
      const [found] = (await call('search_products', { query: python, product_type: 'course' })).rows('products');
      await call('enroll_student', { email: agnieszka, course_id: found?.id });
      return 'Done.';
    },
    saboteurs: {
      state: {
        'claims it': claimed,
        'gives another course': does(['enroll_student', { email: agnieszka, course_id: 7 }]),
        'gives a bundle that holds it too': also('enroll_student', { email: agnieszka, bundle_id: 1 }),
        'makes a second student of a misspelt email': does([
          'enroll_student',
          { email: 'agnieszka.golob@example.org', name: 'Agnieszka Gołąb', course_id: 9 },
        ]),
      },
    },
  },
  'enrol-team': {
    instruction: `These five people from one company get the bundle "Team Licence: Spreadsheets" for free:

- wesley.brooks@example.com
- hannah.castillo@example.com
- carter.delgado@example.com
- anais.lefevre@example.com
- Mina Aldous, mina.aldous@example.com, who is new

Whoever has this bundle already does not get it a second time. Tell me who that is.`,
    requests: 60,
    writes: ({ catalogue }) =>
      [...team, mina].map((person) =>
        access('enroll', { ...person, bundle_id: idOf(catalogue.bundles.all(), bundle) }),
      ),
    says: () => [oneOf(phrase(hannah), phrase('Hannah Castillo'), phrase('Hannah'))],
    reads: () => [
      productNamed(bundle),
      ...[...team, { email: hannah }].map(({ email }) => `/api/v1/orders?status=all&user_email=${email}`),
    ],
    oracle: async ({ call }) => {
      const query = { query: 'Team Licence', product_type: 'bundle' };
      const [found] = (await call('search_products', query)).rows('products');
      const students = [...team, { email: hannah }, mina];
      const plan = await call('sync_roster', { students, product: `bundle ${found?.id}` });
      await call('sync_roster', { students, product: `bundle ${found?.id}`, confirm: true });
      const held = /Skipped: (\S+@\S+) \(already/.exec(plan.text)?.[1];
      return `Four people have it now. ${held} had it already.`;
    },
    saboteurs: {
      state: {
        'forgets the new person': does(['sync_roster', { students: team, product: 'bundle 7', confirm: true }]),
        'gives it to who has it': also('enroll_student', {
          email: hannah,
          bundle_id: 7,
          even_if_held: true,
        }),
        'gives one of them a course too': also('enroll_student', { email: 'wesley.brooks@example.com', course_id: 9 }),
      },
      said: { 'does not say who had it': misquotes('hannah.castillo@example.com had', 'One had') },
    },
  },
  'not-started': {
    instruction:
      'Of the people who paid for "Watercolour Basics" (alone, or in a bundle or larger order) between 1 January and 31 May 2026, who is still at 0 percent in it? Email addresses of those people only.',
    requests: 80,
    says: (academy) => {
      const id = courseId(academy, watercolour);
      const published = academy.lessons.publishedIds(id);
      const idle = buyersOf(academy).filter((email) => {
        const done = academy.progress.completed(person(academy, email).id, id);
        return !done.some((lesson) => published.has(lesson));
      });
      return [exactly(academy, idle)];
    },
    reads: (academy) => [
      productNamed(watercolour),
      ...ordersOf(period),
      ...buyersOf(academy).map(
        (user_email) => ['POST', '/api/v1/courses/6/completion-percentage', { user_email }] as const,
      ),
    ],
    oracle: async ({ call }) => {
      const progress = await call('course_progress', { course_id: 6, ...period });
      return progress.emails('not_started');
    },
    saboteurs: {
      said: {
        'adds somebody who has begun': adds('ruth.hayes@example.com'),
        'has one too few': misquotes('naomi.park@example.com', ''),
        'takes the other of two people of one name': misquotes('priya.brooks@example.com', 'priya.brooks@example.net'),
        'says how many, not who': says('Five people.'),
      },
    },
  },
  offboard: {
    instruction:
      'Poppy Pemberton (poppy.pemberton@example.org) is leaving us. Take away all the access that can be taken away and stop counting her as a paying student; I have checked with her, so go ahead. If there is something of hers that cannot be taken away, name it.',
    requests: 60,
    writes: () => [
      access('revoke-course', { ...poppy, course_id: 5 }),
      access('revoke-course', { ...poppy, course_id: 8 }),
      access('unenroll', poppy),
    ],
    says: () => [phrase('Watercolour Sketch Sheets')],
    reads: () => [
      `/api/v1/students/details?email=${poppy.email}`,
      `/api/v1/orders?status=all&user_email=${poppy.email}`,
    ],
    oracle: async ({ call }) => {
      const plan = await call('offboard_student', { email: poppy.email });
      await call('offboard_student', { email: poppy.email, confirm: true });
      const kept = /Not taken: digital product \d+ "([^"]+)"/.exec(plan.text)?.[1];
      return `Poppy has no course left and does not count as paying. The download ${kept} cannot be taken away.`;
    },
    saboteurs: {
      state: {
        'ends the paying status alone': does(['unenroll_student', { email: poppy.email, confirm: true }]),
        'takes one course of two': does(
          ['revoke_course', { email: poppy.email, course_id: 5, confirm: true }],
          ['unenroll_student', { email: poppy.email, confirm: true }],
        ),
        'offboards somebody else too': also('offboard_student', { email: 'harvey.begum@example.org', confirm: true }),
      },
      said: { 'does not name what stays': misquotes('Watercolour Sketch Sheets', 'one') },
    },
  },
  'reset-progress': {
    instruction:
      'Gül Schäfer-Lind (gul.schaferlind@example.net) wants to start "Python from Zero" again from the beginning. Please delete her progress in that course, and only there. She knows that it cannot be restored.',
    requests: 30,
    writes: (academy) => [access('reset-course-progress', { email: gul, course_id: courseId(academy, python) })],
    reads: () => [productNamed(python)],
    oracle: async ({ call }) => {
      const [found] = (await call('search_products', { query: python })).rows('products');
      const args = { email: gul, course_id: found?.id };
      await call('reset_course_progress', { ...args, confirm: true });
      return 'Done.';
    },
    saboteurs: {
      state: {
        'only previews': does(['reset_course_progress', { email: gul, course_id: 9 }]),
        'resets a second course': also('reset_course_progress', { email: gul, course_id: 7, confirm: true }),
        'takes the course too': also('revoke_course', { email: gul, course_id: 9, confirm: true }),
        'resets another Gül': does([
          'reset_course_progress',
          { email: 'gul.bohme@example.net', course_id: 9, confirm: true },
        ]),
      },
    },
  },
  'revoke-course': {
    instruction:
      'Freya Begum (freya.begum@example.net) should lose the course "Write Clearly at Work". Everything else stays as it is. Yes, I am sure.',
    requests: 40,
    writes: (academy) => [
      access('revoke-course', { email: freya, name: 'Freya Begum', course_id: courseId(academy, writing) }),
    ],
    reads: () => [productNamed(writing)],
    oracle: async ({ call }) => {
      const [found] = (await call('search_products', { query: writing })).rows('products');
      const args = { email: freya, course_id: found?.id };
      await call('revoke_course', args);
      await call('revoke_course', { ...args, confirm: true });
      return 'Done.';
    },
    saboteurs: {
      state: {
        'only previews': does(['revoke_course', { email: freya, course_id: 3 }]),
        'takes everything': does(['offboard_student', { email: freya, confirm: true }]),
        'takes another course': does(['revoke_course', { email: freya, course_id: 2, confirm: true }]),
        'ends the paying status too': also('unenroll_student', { email: freya, confirm: true }),
      },
    },
  },
  'swap-role': {
    instruction:
      'Harvey Begum (harvey.begum@example.org) is an alumnus of ours and comes back to help. Please make him a moderator and take the alumni role from him.',
    requests: 20,
    writes: () => [
      access('grant-role', { email: harvey, role_id: 1 }),
      access('revoke-role', { email: harvey, role_id: 3 }),
    ],
    reads: () => ['/api/v1/courses/roles'],
    oracle: async ({ call }) => {
      const roles = (await call('list_roles')).rows('roles');
      const idOf = (name: string) => roles.find((role) => role.name === name)?.id;
      await call('grant_role', { email: harvey, role_id: idOf('Moderator') });
      await call('revoke_role', { email: harvey, role_id: idOf('Alumni'), confirm: true });
      return 'Done.';
    },
    saboteurs: {
      state: {
        'claims it': claimed,
        'grants the role alone': does(['grant_role', { email: harvey, role_id: 1 }]),
        'does it for another Harvey': does(
          ['grant_role', { email: 'harvey.hargreaves@example.net', role_id: 1 }],
          ['revoke_role', { email: 'harvey.hargreaves@example.net', role_id: 3, confirm: true }],
        ),
        'grants one more role': also('grant_role', { email: harvey, role_id: 2 }),
        'only previews': does(
          ['grant_role', { email: harvey, role_id: 1 }],
          ['revoke_role', { email: harvey, role_id: 3 }],
        ),
      },
    },
  },
};
