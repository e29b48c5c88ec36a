import { exactly } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { buyers, ordersOf, productNamed, sold } from '../../truth.ts';
import { adds, misquotes, says } from '../../wrong.ts';

const period = { from: '2026-06-01', before: '2026-06-21' };
const course = 'Python from Zero';

export const check: Check = {
  says: (academy) => [exactly(academy, buyers(academy, sold(academy, { ...period, course })))],
  reads: () => [productNamed(course), ...ordersOf(period.from, period.before)],
};

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-06-01', created_before: '2026-06-21' };
  const found = await call('find_buyers', { product: 'Python from Zero', ...period });
  return found.emails('buyers');
};

export const saboteurs: Saboteurs = {
  said: {
    'adds somebody with free access': adds('Also: hannah.delgado@example.net'),
    'leaves out who bought a bundle': misquotes('jordan.sullivan@example.com', ''),
    'adds a buyer of the next day': adds('callum.fairclough@mail.example.com'),
    'gives names without emails': says(
      'Jordan Sullivan, Joaquín Ibáñez Ruiz, Ruth Hayes, Débora Magalhães, Loïc Lefèvre',
    ),
  },
};
