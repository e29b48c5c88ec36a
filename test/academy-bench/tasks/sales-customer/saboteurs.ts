import type { Saboteurs } from '../../task.ts';
import { misquotes } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  said: {
    'counts the free order': misquotes('9 purchases', '10 purchases'),
    'takes the free order for the last': misquotes('2025-12-05', '2026-05-30'),
    'is wrong by a cent': misquotes('543.10', '543.11'),
    'leaves out the wallet': misquotes('543.10', '430.20'),
  },
};
