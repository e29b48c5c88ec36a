import type { Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

const [one, other] = ['imogen.thackeray@example.org', 'imogen.thackeray@example.net'];

export const saboteurs: Saboteurs = {
  state: {
    'takes the first': does(`Done: ${one}`, ['enroll_student', { email: one, course_id: 9 }]),
    'takes both': does(
      `Done: ${one} and ${other}`,
      ['enroll_student', { email: one, course_id: 9 }],
      ['enroll_student', { email: other, course_id: 9 }],
    ),
  },
  forbidden: { 'asks and takes one': also('enroll_student', { email: other, course_id: 9 }) },
  said: {
    'asks without the emails': says('Two people have this name. Which one?'),
    'knows of one': says(`Shall I take ${one}?`),
  },
};
