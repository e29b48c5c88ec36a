import { failure } from '../academy/call.ts';
import type { Json, Order } from '../academy/state.ts';
import { orders, type Switch, sales, students } from './switch.ts';

const probes = [...sales, ...orders, ...students];

function shownAs(name: string, kind: Switch['kind'], says: string, write: (order: Order) => unknown): Switch {
  const order = (shown: Json, one: Order) => ({ ...shown, status: write(one) });
  return { name: `status-${name}`, class: 'statuses', kind, says, probes, rules: { order } };
}

export const statusSwitches: readonly Switch[] = [
  shownAs('capitals', 'open', '"Paid"', ({ status }) => status.charAt(0).toUpperCase() + status.slice(1)),
  shownAs('completed', 'departs', '"completed" for paid', ({ status }) => (status === 'paid' ? 'completed' : status)),
  {
    name: 'status-refunded',
    class: 'statuses',
    kind: 'departs',
    says: 'refunded orders have the status refunded',
    probes,
    rules: {
      seed: ({ orders: all }) => {
        for (const order of all)
          if ((order.number % 9 === 0 || order.student === 1) && Number(order.amount) > 0) order.status = 'refunded';
      },
    },
  },
  {
    name: 'status-filter-ignored',
    class: 'statuses',
    kind: 'departs',
    says: 'orders with all statuses, whichever is requested',
    probes,
    rules: {
      question: ({ route, query }) => {
        if (route === 'orders.list') query.status = 'all';
      },
    },
  },
  {
    name: 'status-always-paid',
    class: 'statuses',
    kind: 'departs',
    says: 'only paid orders, whichever status is requested',
    // A single page of paid orders does not show that another status was requested.
    probes: probes.filter((probe) => probe !== 'list_orders'),
    rules: {
      question: ({ route, query }) => {
        if (route === 'orders.list') query.status = 'paid';
      },
    },
  },
  {
    name: 'status-all-refused',
    class: 'statuses',
    kind: 'departs',
    says: '422 for status=all',
    probes: [...students, 'list_orders'],
    rules: {
      before: ({ route, query }) =>
        route === 'orders.list' && query.status === 'all'
          ? failure(422, 'invalid_parameter', 'status is not valid')
          : undefined,
    },
  },
  {
    name: 'status-wallet-refused',
    class: 'statuses',
    kind: 'departs',
    says: '422 for status=wallet_executed',
    probes,
    rules: {
      before: ({ route, query }) =>
        route === 'orders.list' && query.status === 'wallet_executed'
          ? failure(422, 'invalid_parameter', 'status is not valid')
          : undefined,
    },
  },
];
