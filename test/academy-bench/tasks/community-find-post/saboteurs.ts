import type { Saboteurs } from '../../task.ts';
import { misquotes } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'names who answered': misquotes('Friederike Krüger', 'Loïc Lefèvre'),
    'has the day of the answer': misquotes('2026-06-11', '2026-06-12'),
    'has another channel': misquotes('Freelancers', 'Members Lounge'),
  },
};
