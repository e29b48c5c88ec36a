import { metaOf } from '../academy/pages.ts';
import type { Rules } from '../academy/rules.ts';
import type { Json } from '../academy/state.ts';
import { records } from './helpers.ts';
import { communityReads, everySale, lessonReads, type Switch, sales, students } from './switch.ts';
import { anotherEmail, bundlesAlone, entries } from './writes-meaning.ts';

// Well-formed data that contradict another answer, or carry a field that the document does not name.

function meaning(
  name: string,
  says: string,
  probes: readonly string[],
  rules: Rules,
  kind: Switch['kind'] = 'open',
): Switch {
  return { name: `reads-${name}`, class: 'meaning of reads', kind, says, probes, rules };
}

const long = new Date(Date.now() - 90 * 86_400_000).toISOString();
const far = new Date(Date.now() + 90 * 86_400_000).toISOString();

/** Leaves out the second half of a list under this key. */
function halved(route: string, key: string): Rules {
  return {
    after: (reply, call) => {
      if (call.route !== route || reply.status !== 200) return reply;
      const body: Json = Object(reply.body);
      const list = records(body[key]);
      return { ...reply, body: { ...body, [key]: list.slice(0, Math.ceil(list.length / 2)) } };
    },
  };
}

/** Each module says how many lessons it has, and shows one less. */
const lessonCounts: Rules['structure'] = (shown) => ({
  ...shown,
  modules: records(shown.modules).map((module) => {
    const lessons = records(module.lessons);
    return { ...module, lesson_count: lessons.length, lessons: lessons.slice(1) };
  }),
});

export const readMeaningSwitches: readonly Switch[] = [
  meaning('suspended', 'courses of the details carry status: suspended', students, entries({ status: 'suspended' })),
  meaning('expired', 'courses of the details carry a past expires_at', students, entries({ expires_at: long })),
  meaning('launch', 'courses of the details carry a future launch_date', students, entries({ launch_date: far })),
  meaning('inactive', 'courses of the details carry is_active: false', students, entries({ is_active: false })),
  meaning('bundles-alone', 'orders list only their bundles', [...sales, ...students], bundlesAlone),
  meaning('other-email', 'an order of the email shows another one', students, anotherEmail),
  meaning('twins', 'two courses have one title', [...sales, 'find_buyers/title'], {
    seed: ({ products }) => {
      const [first, second] = products;
      if (first !== undefined && second !== undefined) second.attributes.title = first.attributes.title;
    },
  }),
  meaning('two-titles', 'a course has another title in older orders', sales, {
    order: (shown, { number }) => ({
      ...shown,
      courses: records(shown.courses).map((one) => (number % 2 === 0 ? { ...one, title: `Old ${one.id}` } : one)),
    }),
  }),
  meaning(
    'productless',
    'every seventh order lists no product',
    ['sales_report/country', 'sales_report/days', 'find_buyers'],
    {
      seed: ({ orders }) => {
        for (const order of orders) {
          if (order.number % 7 === 0) Object.assign(order, { courses: [], bundles: [], digitals: [] });
        }
      },
    },
  ),
  meaning('shared-ids', 'every twentieth order has the id of the one before it', sales, {
    order: (shown, { number }, { state }) => {
      const other = state.orders.find((one) => one.number === number + 1);
      return number % 20 === 0 && other !== undefined ? { ...shown, id: other.id } : shown;
    },
  }),
  meaning(
    'totals-of-all',
    'total_orders counts all orders, whichever status is requested',
    sales,
    {
      page: ({ shown, meta }, question) => {
        if (question.list !== 'orders' || meta === undefined) return { shown, meta };
        return { shown, meta: { ...metaOf(question), total_orders: question.academy.state.orders.length } };
      },
    },
    'departs',
  ),
  meaning('hidden-status', 'orders of an unknown status are only among all', everySale, {
    seed: ({ orders }) => {
      for (const order of orders) if (order.number % 11 === 0) Object.assign(order, { status: 'partially_refunded' });
    },
  }),
  meaning(
    'channel-count',
    'groups count more channels than are listed',
    communityReads,
    halved('channels.list', 'channels'),
    'departs',
  ),
  meaning(
    'lesson-count',
    'modules count more lessons than they list',
    lessonReads,
    { structure: lessonCounts },
    'departs',
  ),
  meaning('hundredfold', 'amounts of half the orders are in cents', everySale, {
    order: (shown, { number, amount }) =>
      number % 2 === 0 ? { ...shown, amount: String(Math.round(Number(amount) * 100)) } : shown,
  }),
  meaning('undated', 'every fifth order has no time', sales, {
    order: (shown, { number }) => (number % 5 === 0 ? { ...shown, created_at: null } : shown),
  }),
];
