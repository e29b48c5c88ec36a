import type { Saboteurs } from '../../task.ts';
import { misquotes, says } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'leaves out orders in dollars': misquotes(' and 1005.70 USD', ''),
    'counts buyers as orders': misquotes('18 orders', '9 orders'),
    'adds the currencies up': says('Germany: 18 orders, 1,368.20 in all.'),
    'has another country': says('Germany: 13 orders, 342.40 GBP and 227.40 USD.'),
  },
};
