import type { Academy, Rules } from '../academy/rules.ts';
import { failure } from '../academy/rules.ts';
import { iso, type Json, type Kind, type Order } from '../academy/state.ts';
import { titled } from '../academy/views.ts';
import { bounded, bulk, everySale, orders, type Switch, sales, students } from './switch.ts';

const dateProbes = [
  ...['find_buyers'],
  ...bounded,
  ...['list_orders', 'get_order', 'community_digest/week', 'search_posts/window', 'course_progress'],
  ...['student_profile/many', 'diagnose_access/bundle'],
];
const hour = 3_600_000;

function dates(name: string, kind: Switch['kind'], says: string, write: (at: number) => unknown): Switch {
  const rewrite = (shown: Json) => ({
    ...shown,
    created_at: write(Date.parse(String(shown.created_at))),
    updated_at: write(Date.parse(String(shown.updated_at))),
  });
  return {
    name: `dates-${name}`,
    class: 'dates',
    kind,
    says,
    probes: dateProbes,
    rules: { order: rewrite, post: rewrite },
  };
}

export const dateSwitches: readonly Switch[] = [
  dates('no-zone', 'open', '2026-11-15T10:00:00', (at) => iso(at).slice(0, 19)),
  dates('offset', 'open', '2026-11-15T12:00:00+02:00', (at) => `${iso(at + 2 * hour).slice(0, 19)}+02:00`),
  dates('some-null', 'departs', 'null for every fourth time', (at) =>
    Math.floor(at / 1000) % 4 === 0 ? null : iso(at),
  ),
];

const amountProbes = [
  ...everySale,
  ...['list_orders', 'get_order', 'student_profile/granted', 'student_profile/wallet'],
  ...['student_profile/many'],
];

function amounts(
  name: string,
  says: string,
  write: (amount: number, order: Order, text: string) => unknown,
  kind: Switch['kind'] = 'departs',
): Switch {
  const order = (shown: Json, one: Order) => ({ ...shown, amount: write(Number(one.amount), one, one.amount) });
  return { name: `amounts-${name}`, class: 'amounts', kind, says, probes: amountProbes, rules: { order } };
}

function currency(name: string, says: string, write: (order: Order) => unknown): Switch {
  const order = (shown: Json, one: Order) => ({ ...shown, currency: write(one) });
  return { name: `currency-${name}`, class: 'amounts', kind: 'departs', says, probes: amountProbes, rules: { order } };
}

export const amountSwitches: readonly Switch[] = [
  amounts('number', 'a JSON number: 49.9', (amount) => amount),
  amounts('null-grants', 'null for access granted by an admin', (amount, _order, text) => (amount === 0 ? null : text)),
  {
    name: 'amounts-negative',
    class: 'amounts',
    kind: 'open',
    says: 'every tenth order is a refund with a negative amount',
    probes: amountProbes,
    rules: {
      seed: ({ orders: all }) => {
        for (const order of all)
          if (order.number % 10 === 0 && Number(order.amount) > 0) order.amount = `-${order.amount}`;
      },
    },
  },
  currency('small', '"usd"', ({ currency: code }) => code.toLowerCase()),
];

const elementProbes = [
  ...sales,
  ...orders,
  ...students,
  ...bulk,
  'enroll_student/holder',
  'revoke_bundle',
  'revoke_course',
];

interface Element {
  readonly kind: Kind;
  readonly id: number;
  readonly title: unknown;
  /** A separate number, which may equal the id of another product. */
  readonly row: number;
}

function elementsOf({ courses, bundles, digitals, number }: Order, { state }: Academy): Element[] {
  const of = (kind: Kind, ids: readonly number[]) =>
    titled(state, kind, ids).map(({ id, title }) => ({ kind, id: Number(id), title }));
  const all = [...of('course', courses), ...of('bundle', bundles), ...of('digital_product', digitals)];
  return all.map((one, index) => ({ ...one, row: 11 + ((number + index) % 43) }));
}

const keys = { course: 'courses', bundle: 'bundles', digital_product: 'digital_products' } as const;
const kinds: readonly Kind[] = ['course', 'bundle', 'digital_product'];

function elements(
  name: string,
  kind: Switch['kind'],
  says: string,
  write: (element: Element) => unknown,
  of: readonly Kind[] = kinds,
): Switch {
  const order = (shown: Json, one: Order, academy: Academy) => {
    const all = elementsOf(one, academy);
    const lists = of.map((own) => [keys[own], all.filter((element) => element.kind === own).map(write)]);
    return { ...shown, ...Object.fromEntries(lists) };
  };
  return { name: `elements-${name}`, class: 'product elements', kind, says, probes: elementProbes, rules: { order } };
}

const offered: readonly Kind[] = ['bundle', 'digital_product'];

export const elementSwitches: readonly Switch[] = [
  elements('digits', 'open', 'bundles and digital products as "31"', ({ id }) => String(id), offered),
  elements(
    'own-id-name',
    'open',
    '{bundle_id, name}',
    ({ kind, id, title }) => ({ [`${kind}_id`]: id, name: title }),
    offered,
  ),
  elements(
    'pivot',
    'open',
    'rows with their own id and bundle_id',
    ({ kind, id, row }) => ({ id: row, [`${kind}_id`]: id }),
    offered,
  ),
  {
    name: 'elements-absent',
    class: 'product elements',
    kind: 'departs',
    says: 'no products at all',
    probes: elementProbes,
    rules: { order: ({ courses: _one, bundles: _two, digital_products: _three, ...others }) => others },
  },
];

const statusProbes = [...sales, ...orders, ...students];

function shownAs(name: string, kind: Switch['kind'], says: string, write: (order: Order) => unknown): Switch {
  const order = (shown: Json, one: Order) => ({ ...shown, status: write(one) });
  return { name: `status-${name}`, class: 'statuses', kind, says, probes: statusProbes, rules: { order } };
}

function asked(
  name: string,
  says: string,
  rules: Pick<Rules, 'seed' | 'question' | 'before'>,
  probes = statusProbes,
): Switch {
  return { name: `status-${name}`, class: 'statuses', kind: 'departs', says, probes, rules };
}

const readAs = (status: string): Rules => ({
  question: ({ route, query }) => {
    if (route === 'orders.list') query.status = status;
  },
});
const refused = (status: string): Rules => ({
  before: ({ route, query }) =>
    route === 'orders.list' && query.status === status
      ? failure(422, 'invalid_parameter', 'status is not valid')
      : undefined,
});

export const statusSwitches: readonly Switch[] = [
  shownAs('capitals', 'open', '"Paid"', ({ status }) => status.charAt(0).toUpperCase() + status.slice(1)),
  shownAs('completed', 'departs', '"completed" for paid', ({ status }) => (status === 'paid' ? 'completed' : status)),
  asked('refunded', 'refunded orders have the status refunded', {
    seed: ({ orders: all }) => {
      for (const order of all)
        if ((order.number % 9 === 0 || order.student === 1) && Number(order.amount) > 0) order.status = 'refunded';
    },
  }),
  asked('filter-ignored', 'orders with all statuses, whichever is requested', readAs('all')),
  // A single page of paid orders does not show that another status was requested.
  asked(
    'always-paid',
    'only paid orders, whichever status is requested',
    readAs('paid'),
    statusProbes.filter((probe) => probe !== 'list_orders'),
  ),
  asked('all-refused', '422 for status=all', refused('all'), [...students, 'list_orders']),
  asked('wallet-refused', '422 for status=wallet_executed', refused('wallet_executed')),
];
