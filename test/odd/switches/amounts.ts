import type { Json, Order } from '../academy/state.ts';
import { everySale, type Switch } from './switch.ts';

const probes = [
  ...everySale,
  'list_orders',
  'get_order',
  'student_profile/granted',
  'student_profile/wallet',
  'student_profile/many',
];

function amounts(
  name: string,
  says: string,
  write: (amount: number, order: Order, text: string) => unknown,
  kind: Switch['kind'] = 'departs',
): Switch {
  const order = (shown: Json, one: Order) => ({ ...shown, amount: write(Number(one.amount), one, one.amount) });
  return { name: `amounts-${name}`, class: 'amounts', kind, says, probes, rules: { order } };
}

function currency(name: string, says: string, write: (order: Order) => unknown): Switch {
  const order = (shown: Json, one: Order) => ({ ...shown, currency: write(one) });
  return { name: `currency-${name}`, class: 'amounts', kind: 'departs', says, probes, rules: { order } };
}

export const amountSwitches: readonly Switch[] = [
  amounts('number', 'a JSON number: 49.9', (amount) => amount),
  amounts('null-grants', 'null for access granted by an admin', (amount, _order, text) => (amount === 0 ? null : text)),
  {
    name: 'amounts-negative',
    class: 'amounts',
    kind: 'open',
    says: 'every tenth order is a refund with a negative amount',
    probes,
    rules: {
      seed: ({ orders: all }) => {
        for (const order of all)
          if (order.number % 10 === 0 && Number(order.amount) > 0) order.amount = `-${order.amount}`;
      },
    },
  },
  currency('small', '"usd"', ({ currency: code }) => code.toLowerCase()),
];
