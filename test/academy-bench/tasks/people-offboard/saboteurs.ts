import type { Saboteurs } from '../../task.ts';
import { also, does, misquotes } from '../../wrong.ts';

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
