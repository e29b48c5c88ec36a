import type { Saboteurs } from '../../task.ts';
import { adds, misquotes, says } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'adds somebody who has begun': adds('ruth.hayes@example.com'),
    'has one too few': misquotes('naomi.park@example.com', ''),
    'takes the other of two people of one name': misquotes('priya.brooks@example.com', 'priya.brooks@example.net'),
    'says how many, not who': says('Five people.'),
  },
};
