import { exactly } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { buyers, ordersOf, productNamed, sold } from '../../truth.ts';
import { adds, misquotes, says } from '../../wrong.ts';

const period = { from: '2026-01-01', before: '2026-06-15' };
const course = 'Python from Zero';

export const check: Check = {
  says: (academy) => [exactly(academy, buyers(academy, sold(academy, { ...period, course, free: true })))],
  reads: () => [productNamed(course), ...ordersOf(period.from, period.before)],
};

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-01-01', created_before: '2026-06-15' };
  const found = await call('find_buyers', { product: 'Python from Zero', granted_only: true, ...period });
  return found.emails('buyers');
};

export const saboteurs: Saboteurs = {
  said: {
    'adds a paying customer': adds('loic.lefevre@example.com'),
    'leaves out the free bundle': misquotes('malgorzata.madry@example.com', ''),
    'gives names without emails': says('Niamh Hargreaves, Hannah Delgado, Małgorzata Mądry, Maya Park, Íñigo Núñez'),
    'adds somebody of 2025': adds('freya.begum@example.net'),
  },
};
