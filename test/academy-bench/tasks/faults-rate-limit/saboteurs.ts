import type { Saboteurs } from '../../task.ts';
import { misquotes, says } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'gives up': says('The system is busy; please ask again later.'),
    'counts free orders': misquotes('33 orders', '36 orders'),
    'leaves out a currency': async ({ oracle }) => (await oracle()).replace(/^[^,]+, /, ''),
  },
};
