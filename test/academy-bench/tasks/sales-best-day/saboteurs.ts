import type { Saboteurs } from '../../task.ts';
import { misquotes, says } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'is a day late': misquotes('2026-05-', '2026-06-'),
    'has the best day of June': says('19 June 2026: 593.00 USD.'),
    'has the day without the sum': async ({ oracle }) => (await oracle()).split(':')[0] ?? '',
    'has the sum of the month': async ({ oracle }) => `${(await oracle()).split(':')[0]}: 4404.60 USD`,
  },
};
