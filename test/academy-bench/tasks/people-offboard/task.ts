import { phrase } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { access } from '../../truth.ts';
import { also, does, misquotes } from '../../wrong.ts';

const who = { email: 'poppy.pemberton@example.org', name: 'Poppy Pemberton' };

export const check: Check = {
  writes: () => [
    access('revoke-course', { ...who, course_id: 5 }),
    access('revoke-course', { ...who, course_id: 8 }),
    access('unenroll', who),
  ],
  says: () => [phrase('Watercolour Sketch Sheets')],
  reads: () => [`/api/v1/students/details?email=${who.email}`, `/api/v1/orders?status=all&user_email=${who.email}`],
};

export const oracle: Oracle = async ({ call }) => {
  const email = 'poppy.pemberton@example.org';
  const plan = await call('offboard_student', { email });
  await call('offboard_student', { email, confirm: true });
  const kept = /Not taken: digital product \d+ "([^"]+)"/.exec(plan.text)?.[1];
  return `Poppy has no course left and does not count as paying. The download ${kept} cannot be taken away.`;
};

const email = 'poppy.pemberton@example.org';
const done = 'All is taken but Watercolour Sketch Sheets.';

export const saboteurs: Saboteurs = {
  state: {
    'ends the paying status alone': does(done, ['unenroll_student', { email, confirm: true }]),
    'takes one course of two': does(
      done,
      ['revoke_course', { email, course_id: 5, confirm: true }],
      ['unenroll_student', { email, confirm: true }],
    ),
    'offboards somebody else too': also('offboard_student', { email: 'harvey.begum@example.org', confirm: true }),
  },
  said: { 'does not name what stays': misquotes('Watercolour Sketch Sheets', 'one') },
};
