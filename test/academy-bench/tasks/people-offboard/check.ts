import { phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { access } from '../../truth.ts';

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
