import type { Saboteurs } from '../../task.ts';
import { also, does, misquotes } from '../../wrong.ts';

const emails = ['wesley.brooks', 'carter.delgado', 'anais.lefevre'].map((name) => ({ email: `${name}@example.com` }));
const done = 'Four people have it now. hannah.castillo@example.com had it already.';

export const saboteurs: Saboteurs = {
  state: {
    'forgets the new person': does(done, ['sync_roster', { students: emails, product: 'bundle 7', confirm: true }]),
    'gives it to who has it': also('enroll_student', {
      email: 'hannah.castillo@example.com',
      bundle_id: 7,
      even_if_held: true,
    }),
    'gives one of them a course too': also('enroll_student', { email: 'wesley.brooks@example.com', course_id: 9 }),
  },
  said: { 'does not say who had it': misquotes('hannah.castillo@example.com had', 'One had') },
};
