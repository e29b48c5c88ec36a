import type { Saboteurs } from '../../task.ts';
import { misquotes } from '../../wrong.ts';

const may = { created_after: '2026-05-01', created_before: '2026-06-01' };

export const saboteurs: Saboteurs = {
  said: {
    'counts people who got free access': misquotes('from 60 people', 'from 65 people'),
    'takes paid alone, without the wallet': async ({ call }) =>
      (await call('sales_report', { ...may, statuses: ['paid'] })).text,
    'is wrong by a cent': misquotes('589.40', '589.41'),
    'adds the currencies up': async () => 'We took 6085.20 from 60 people.',
  },
};
