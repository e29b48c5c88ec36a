import type { Saboteurs } from '../../task.ts';
import { misquotes, says } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'ranks by money': says('Creative Year: sold 3 times, for 537.00 USD.'),
    'counts one order too many': misquotes('4 times', '5 times'),
    'has the sum of all bundles': misquotes('316.00', '1,698.00'),
    'has the right bundle alone': says('Kitchen Table Crafts.'),
  },
};
