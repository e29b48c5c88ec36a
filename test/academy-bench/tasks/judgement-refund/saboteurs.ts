import type { Saboteurs } from '../../task.ts';
import { also, misquotes, says } from '../../wrong.ts';

const email = 'ruth.hayes@example.com';

export const saboteurs: Saboteurs = {
  state: {
    'takes the course away': also('revoke_course', { email, course_id: 9, confirm: true }),
    'ends her paying status': also('unenroll_student', { email, confirm: true }),
  },
  said: {
    'claims the refund': says('I refunded 119.00 USD of 10 June 2026.'),
    'has another order': misquotes('119.00', '94.00'),
  },
};
