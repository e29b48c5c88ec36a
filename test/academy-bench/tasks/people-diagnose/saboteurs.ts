import type { Saboteurs } from '../../task.ts';
import { also, misquotes, says } from '../../wrong.ts';

const email = 'lucja.zoltowski@mail.example.com';

export const saboteurs: Saboteurs = {
  state: { 'gives her the course': also('enroll_student', { email, course_id: 3 }) },
  said: {
    'blames publication': says('The course of 17 June for 59.00 is not published.'),
    'has another order': misquotes('2026-06-17', '2026-06-12'),
    'has the price alone': misquotes('2026-06-17', 'last month'),
  },
};
