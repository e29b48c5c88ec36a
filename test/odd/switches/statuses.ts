import { type Academy, failure, type Rules } from '../academy/rules.ts';
import { iso, type Json, type Kind, type Order, titled } from '../academy/state.ts';
import { bounded, bulk, classOf, everySale, orders, type Switch, sales, students } from './switch.ts';

const dateProbes = [
  ...['find_buyers'],
  ...bounded,
  ...['list_orders', 'get_order', 'community_digest/week', 'search_posts/window', 'course_progress'],
  ...['student_profile/many', 'diagnose_access/bundle'],
];
const hour = 3_600_000;

const dated = classOf('dates', 'dates', { kind: 'open', probes: dateProbes });

function dates(name: string, says: string, write: (at: number) => unknown, kind: Switch['kind'] = 'open'): Switch {
  const rewrite = (shown: Json) => ({
    ...shown,
    created_at: write(Date.parse(String(shown.created_at))),
    updated_at: write(Date.parse(String(shown.updated_at))),
  });
  return dated(name, says, { kind, order: rewrite, post: rewrite });
}

const someNull = (at: number) => (Math.floor(at / 1000) % 4 === 0 ? null : iso(at));

export const dateSwitches: readonly Switch[] = [
  dates('no-zone', '2026-11-15T10:00:00', (at) => iso(at).slice(0, 19)),
  dates('offset', '2026-11-15T12:00:00+02:00', (at) => `${iso(at + 2 * hour).slice(0, 19)}+02:00`),
  dates('some-null', 'null for every fourth time', someNull, 'departs'),
];

const amountProbes = [
  ...everySale,
  ...['list_orders', 'get_order', 'student_profile/granted', 'student_profile/wallet'],
  ...['student_profile/many'],
];

const amounts = classOf('amounts', 'amounts', { kind: 'departs', probes: amountProbes });
const currencies = classOf('currency', 'amounts', { kind: 'departs', probes: amountProbes });

export const amountSwitches: readonly Switch[] = [
  amounts('number', 'a JSON number: 49.9', { order: (shown, { amount }) => ({ ...shown, amount: Number(amount) }) }),
  amounts('null-grants', 'null for access granted by an admin', {
    order: (shown, { amount }) => ({ ...shown, amount: Number(amount) === 0 ? null : amount }),
  }),
  amounts('negative', 'every tenth order is a refund with a negative amount', {
    kind: 'open',
    seed: ({ orders: all }) => {
      for (const order of all)
        if (order.number % 10 === 0 && Number(order.amount) > 0) order.amount = `-${order.amount}`;
    },
  }),
  currencies('small', '"usd"', { order: (shown, { currency }) => ({ ...shown, currency: currency.toLowerCase() }) }),
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

const elements = classOf('elements', 'product elements', { kind: 'open', probes: elementProbes });

/** Bundles and digital products of an order in this form. */
const offered = (write: (element: Element) => unknown): Rules => ({
  order: (shown, one, academy) => {
    const all = elementsOf(one, academy);
    const lists = (['bundle', 'digital_product'] as const).map((own) => [
      keys[own],
      all.filter(({ kind }) => kind === own).map(write),
    ]);
    return { ...shown, ...Object.fromEntries(lists) };
  },
});

export const elementSwitches: readonly Switch[] = [
  elements('digits', 'bundles and digital products as "31"', { ...offered(({ id }) => String(id)) }),
  elements('own-id-name', '{bundle_id, name}', {
    ...offered(({ kind, id, title }) => ({ [`${kind}_id`]: id, name: title })),
  }),
  elements('pivot', 'rows with their own id and bundle_id', {
    ...offered(({ kind, id, row }) => ({ id: row, [`${kind}_id`]: id })),
  }),
  elements('absent', 'no products at all', {
    kind: 'departs',
    order: ({ courses: _one, bundles: _two, digital_products: _three, ...others }) => others,
  }),
];

const statusProbes = [...sales, ...orders, ...students];
const status = classOf('status', 'statuses', { kind: 'departs', probes: statusProbes });

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
  status('capitals', '"Paid"', {
    kind: 'open',
    order: (shown, { status }) => ({ ...shown, status: status.charAt(0).toUpperCase() + status.slice(1) }),
  }),
  status('completed', '"completed" for paid', {
    order: (shown, { status }) => ({ ...shown, status: status === 'paid' ? 'completed' : status }),
  }),
  status('refunded', 'refunded orders have the status refunded', {
    seed: ({ orders: all }) => {
      for (const order of all)
        if ((order.number % 9 === 0 || order.student === 1) && Number(order.amount) > 0) order.status = 'refunded';
    },
  }),
  status('filter-ignored', 'orders with all statuses, whichever is requested', readAs('all')),
  // A single page of paid orders does not show that another status was requested.
  status('always-paid', 'only paid orders, whichever status is requested', {
    ...readAs('paid'),
    probes: statusProbes.filter((probe) => probe !== 'list_orders'),
  }),
  status('all-refused', '422 for status=all', { ...refused('all'), probes: [...students, 'list_orders'] }),
  status('wallet-refused', '422 for status=wallet_executed', refused('wallet_executed')),
];
