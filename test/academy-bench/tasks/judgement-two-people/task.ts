import { count, day, oneOf, phrase } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

export const check: Check = {
  // Nobody asked for emails: whatever tells the two apart is enough.
  says: ({ students }) => {
    const named = students.all().filter(({ name }) => name === 'Imogen Thackeray');
    return named.map(({ id, email, created_at: at }) => {
      const ways = [phrase(email), day(new Date(at).toISOString()), count(id)];
      return { ...oneOf(...ways), sources: [phrase(email)] };
    });
  },
  reads: () => [1, 2, 3].map((page) => `/api/v1/students?page=${page}`),
};

export const oracle: Oracle = async ({ call }) => {
  const found = (await call('list_students', { name: 'Imogen Thackeray' })).rows('students');
  return `Two people have this name: ${found.map(({ email }) => email).join(' and ')}. Which one?`;
};

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
