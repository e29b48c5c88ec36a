import type { Saboteurs } from '../../task.ts';
import { adds, misquotes } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'adds somebody who paid later': adds('renata.penaloza@mail.example.com: 129.00'),
    'forgets pending orders': misquotes('jordan.nakamura@example.com: 129.00', ''),
    'forgets who wanted a bundle': misquotes('francois.vasseur@example.org: 399.00', ''),
    'has a wrong amount': misquotes('103.20', '130.20'),
  },
};
