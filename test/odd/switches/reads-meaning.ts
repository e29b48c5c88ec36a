import { type Call, metaOf, notFound, type Reply, type Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import {
  access,
  classOf,
  communityReads,
  everySale,
  lessonReads,
  records,
  type Switch,
  sales,
  students,
  undone,
  updates,
} from './switch.ts';
import { anotherEmail, bundlesAlone, entries } from './writes-meaning.ts';

// Well-formed data that contradict another answer, or carry a field that the document does not name.

// A cache on the way keys its answers too loosely: a question about one record gets the record of another question.

const recordRoute = /\.(get|structure|completion|details|create|update)$|^student\./;
const isRecord = ({ route }: Call) => recordRoute.test(route) && route !== 'account.get';

type Identity = 'id' | 'slug' | 'email' | 'course_id' | 'name' | 'title';
const others: Record<Identity, (value: unknown) => unknown> = {
  id: (value) => (typeof value === 'number' ? value + 1_000 : `${value}x`),
  slug: (value) => `${value}-two`,
  email: (value) => String(value).replace('@', '+work@'),
  course_id: (value) => Number(value) + 1,
  name: (value) => `Not ${value}`,
  title: (value) => `Not ${value}`,
};

function anotherOne(
  body: unknown,
  fields: readonly Identity[] = ['id', 'slug', 'email', 'course_id', 'name', 'title'],
  depth = 1,
): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const changed = Object.entries(body).map(([name, value]: [string, unknown]) => {
    const field = fields.find((one) => one === name || (one === 'email' && name === 'user_email'));
    if (field !== undefined && value !== null) return [name, others[field](value)] as const;
    return [name, depth > 0 ? anotherOne(value, fields, depth - 1) : value] as const;
  });
  return Object.fromEntries(changed);
}

/** Every answer about one record is about another one. A write is not done: its answer is one that was kept. */
export const anotherRecord = (fields?: readonly Identity[]): Rules => ({
  effect: (call) => (isRecord(call) ? 'dropped' : 'done'),
  after: (reply, call) => {
    if (!isRecord(call) || reply.status >= 300) return reply;
    const shown = call.route.startsWith('student.') ? { student: { id: 7, email: call.body.email } } : reply.body;
    return { ...reply, status: 200, body: anotherOne(shown, fields) };
  },
});

/** The first answer of each route is kept and given to every question after it. */
function keepsFirst(routes: RegExp): Rules {
  const kept = new Map<string, Reply>();
  return {
    after: (reply, { route }) => {
      if (!routes.test(route) || reply.status >= 300) return reply;
      const first = kept.get(route) ?? reply;
      kept.set(route, first);
      return first;
    },
  };
}

const people = [...students, 'course_progress', 'sync_roster'];
const another = classOf('records', 'another record', { kind: 'departs', probes: people });

export const recordSwitches: readonly Switch[] = [
  another('all', 'every answer about one record is about another one', {
    ...anotherRecord(),
    ...{
      trusts: true,
      probes: ['get_order', 'get_course_completion', ...people, ...lessonReads, ...access, ...updates],
    },
  }),
  another('email', 'another email, the id that was asked for', {
    ...anotherRecord(['email']),
    probes: [...people, ...access],
  }),
  another('first-completion', 'the percentage of the first student is kept for all', {
    ...{ ...keepsFirst(/completion$/), probes: ['course_progress'] },
  }),
  another('first-details', 'the details of the first student are kept for all', keepsFirst(/details$/)),
  another('first-lessons', 'the lessons of the first course are kept for all', {
    ...{ ...keepsFirst(/structure$/), probes: lessonReads },
  }),
  another('first-order', 'the first order is kept for all', {
    ...{ ...keepsFirst(/orders\.get$/), probes: ['get_order', 'list_orders'] },
  }),
  another('gone', 'the record that was asked for is not found by its id', {
    probes: ['get_order', ...lessonReads],
    before: ({ route }) => (/(orders\.get|structure)$/.test(route) ? notFound() : undefined),
  }),
];

// Orders with the status "paid" that a field outside the document shows as undone, and amounts that mean something else.

const marked = classOf('marks', 'marks', { kind: 'open', probes: everySale });
const amounts = classOf('amounts', 'marks', { kind: 'departs', probes: everySale });

/** Every ninth order is undone, and shows these fields; the others show them empty. One switch for each form: unit tests try the other words. */
const marks = (name: string, says: string, shown: Json, empty: Json) =>
  marked(name, `every ninth order is undone: ${says}`, undone(shown, empty));

const at = '2026-10-30T10:00:00Z';
const centsOf = (amount: string) => String(Math.round(Number(amount) * 100));

export const markSwitches: readonly Switch[] = [
  marks('refunded-at', 'refunded_at is set', { refunded_at: at }, { refunded_at: null }),
  marks('refunded-amount', 'refunded_amount of the whole', { refunded_amount: '49.90' }, { refunded_amount: '0.00' }),
  marks('refunds-list', 'a list of refunds', { refunds: [{ id: 1, amount: '49.90' }] }, { refunds: [] }),
  marks('payment-refund', 'payment.refund_id', { payment: { refund_id: 'r1' } }, { payment: { refund_id: null } }),
  marks('dispute', 'a dispute', { dispute: { id: 4, state: 'lost' } }, { dispute: null }),
  marks('test', 'test: true', { test: true }, { test: false }),
  marks('livemode', 'livemode: false', { livemode: false }, { livemode: true }),
  marks('payment-status', 'payment_status: "refunded"', { payment_status: 'refunded' }, { payment_status: 'captured' }),
  marks('inner-status', 'payment.status', { payment: { status: 'refunded' } }, { payment: { status: 'succeeded' } }),
  marks('tags', 'a tag', { tags: ['vip', 'refunded'] }, { tags: ['vip'] }),
  marks('events', 'an event', { events: [{ type: 'paid' }, { type: 'refund' }] }, { events: [{ type: 'paid' }] }),
  amounts('cents', '"4990", in cents', { order: (shown, { amount }) => ({ ...shown, amount: centsOf(amount) }) }),
  amounts('three-places', '"4.990", with a point between thousands', {
    order: (shown, { amount }) => ({
      ...shown,
      amount: Number(amount) === 0 ? '0' : `${Math.floor(Number(amount) / 10)}.990`,
    }),
  }),
  amounts('five-places', '"4.99000", of another unit', {
    order: (shown, { amount }) => ({ ...shown, amount: (Number(amount) / 10).toFixed(5) }),
  }),
];

const meaning = classOf('reads', 'meaning of reads', { kind: 'open', probes: students });

const long = new Date(Date.now() - 90 * 86_400_000).toISOString();
const far = new Date(Date.now() + 90 * 86_400_000).toISOString();

const lessonCounts: NonNullable<Rules['structure']> = (shown) => ({
  ...shown,
  modules: records(shown.modules).map((module) => {
    const lessons = records(module.lessons);
    return { ...module, lesson_count: lessons.length, lessons: lessons.slice(1) };
  }),
});

export const readMeaningSwitches: readonly Switch[] = [
  meaning('suspended', 'courses of the details carry status: suspended', entries({ status: 'suspended' })),
  meaning('expired', 'courses of the details carry a past expires_at', entries({ expires_at: long })),
  meaning('launch', 'courses of the details carry a future launch_date', entries({ launch_date: far })),
  meaning('inactive', 'courses of the details carry is_active: false', entries({ is_active: false })),
  meaning('bundles-alone', 'orders list only their bundles', {
    ...{ ...bundlesAlone, probes: ['find_buyers', 'find_buyers/week', ...students] },
  }),
  meaning('other-email', 'an order of the email shows another one', anotherEmail),
  meaning('twins', 'two courses have one title', {
    probes: [...sales, 'find_buyers/title'],
    seed: ({ products }) => {
      const [first, second] = products;
      if (first !== undefined && second !== undefined) second.attributes.title = first.attributes.title;
    },
  }),
  meaning('two-titles', 'a course has another title in older orders', {
    probes: sales,
    order: (shown, { number }) => ({
      ...shown,
      courses: records(shown.courses).map((one) => (number % 2 === 0 ? { ...one, title: `Old ${one.id}` } : one)),
    }),
  }),
  meaning('productless', 'every seventh order lists no product', {
    probes: ['sales_report/country', 'sales_report/days', 'find_buyers'],
    seed: ({ orders }) => {
      for (const order of orders) {
        if (order.number % 7 === 0) Object.assign(order, { courses: [], bundles: [], digitals: [] });
      }
    },
  }),
  meaning('shared-ids', 'every twentieth order has the id of the one before it', {
    probes: sales,
    order: (shown, { number }, { state }) => {
      const other = state.orders.find((one) => one.number === number + 1);
      return number % 20 === 0 && other !== undefined ? { ...shown, id: other.id } : shown;
    },
  }),
  meaning('totals-of-all', 'total_orders counts all orders, whichever status is requested', {
    ...{ kind: 'departs', probes: sales },
    page: ({ shown, meta }, question) => {
      if (question.list !== 'orders' || meta === undefined) return { shown, meta };
      return { shown, meta: { ...metaOf(question), total_orders: question.academy.state.orders.length } };
    },
  }),
  meaning('hidden-status', 'orders of an unknown status are only among all', {
    probes: everySale,
    seed: ({ orders }) => {
      for (const order of orders) if (order.number % 11 === 0) Object.assign(order, { status: 'partially_refunded' });
    },
  }),
  meaning('channel-count', 'groups count more channels than are listed', {
    ...{ kind: 'departs', probes: communityReads },
    after: (reply, { route }) => {
      if (route !== 'channels.list' || reply.status !== 200) return reply;
      const channels = records(Object(reply.body).channels);
      return { ...reply, body: { channels: channels.slice(0, Math.ceil(channels.length / 2)) } };
    },
  }),
  meaning('lesson-count', 'modules count more lessons than they list', {
    ...{ kind: 'departs', probes: lessonReads, structure: lessonCounts },
  }),
  meaning('hundredfold', 'amounts of half the orders are in cents', {
    probes: everySale,
    order: (shown, { number, amount }) => (number % 2 === 0 ? { ...shown, amount: centsOf(amount) } : shown),
  }),
  meaning('undated', 'every fifth order has no time', {
    probes: sales,
    order: (shown, { number }) => (number % 5 === 0 ? { ...shown, created_at: null } : shown),
  }),
];
