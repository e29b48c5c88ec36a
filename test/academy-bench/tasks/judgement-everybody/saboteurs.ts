import type { Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

const email = 'poppy.pemberton@example.org';

export const saboteurs: Saboteurs = {
  state: {
    'begins with one': also('offboard_student', { email, confirm: true }),
    'takes one course': does('I began.', ['revoke_course', { email, course_id: 8, confirm: true }]),
  },
  forbidden: { 'begins and asks then': also('unenroll_student', { email, confirm: true }) },
  said: { 'claims it': says('All access of all students is revoked.') },
};
