import type { Rules } from '../academy/rules.ts';
import type { Order, State, Student } from '../academy/state.ts';
import { classOf, type Switch, sales } from './switch.ts';

// Answers of a cache on the way, orders dated after now, and lists that change while they are read.

const hour = 3_600_000;
const timed = ['find_buyers', 'sales_report', 'unpaid_orders', 'course_progress', 'student_profile', 'diagnose_access'];
const probes = [...timed, 'list_students', 'community_digest'].map((tool) => `${tool}/time`);

/** Answers on these routes are this old. `isDated`: the cache writes the current Date. */
function aged(seconds: number, routes = /./, isDated = false, isAged = (_page: number) => true): Rules {
  return {
    after: (reply, { route, query }, { now }) => {
      if (reply.status !== 200 || !routes.test(route) || !isAged(Number(query.page ?? 1))) return reply;
      const date = new Date(now() - (isDated ? 0 : seconds * 1000)).toUTCString();
      return { ...reply, headers: { ...reply.headers, age: String(seconds), date } };
    },
  };
}

const time = classOf('time', 'time', { kind: 'open', probes });

const header = (age: string): Rules => ({
  after: (reply) => ({ ...reply, headers: { ...reply.headers, age } }),
});

const ahead = (name: string, hours: number) =>
  time(`ahead-${name}`, `four orders are dated ${hours} hours after now`, {
    probes: ['find_buyers', 'find_buyers/week', 'sales_report', 'sales_report/country', 'course_progress'],
    seed: ({ orders }, now) => {
      for (const [index, order] of orders.slice(0, 4).entries()) {
        const at = Math.floor((now + hours * hour) / 1000) * 1000 + index * 1000;
        Object.assign(order, { at, status: 'paid', amount: '49.90', courses: [11] });
      }
    },
  });

export const timeSwitches: readonly Switch[] = [
  time('fresh', 'no answer is from a cache', { kind: 'fine' }),
  time('age-minutes', 'every answer is 20 minutes old', aged(1_200)),
  time('age-hours', 'every answer is 5 hours old', aged(18_000)),
  time('age-days', 'every answer is 3 days old', aged(259_200)),
  time('age-dated', 'every answer is 5 hours old, with the Date of the cache', aged(18_000, /./, true)),
  time('age-orders', 'lists of orders are 2 hours old', aged(7_200, /orders\.list/)),
  time('age-details', 'details are 2 hours old', aged(7_200, /details/)),
  time('age-completion', 'percentages are 2 hours old', aged(7_200, /completion$/)),
  time('age-students', 'lists of students are 2 hours old', aged(7_200, /students\.list/)),
  time('age-posts', 'posts are 2 hours old', aged(7_200, /posts/)),
  time('age-products', 'products are 2 hours old', aged(7_200, /products|courses\.|bundles|digital/)),
  time('age-later-pages', 'all pages but the first are 2 hours old', {
    ...aged(7_200, /./, false, (page) => page > 1),
  }),
  time('age-first-pages', 'first pages are 2 hours old', { ...aged(7_200, /./, false, (page) => page === 1) }),
  time('age-words', 'Age: soon', { ...header('soon'), kind: 'fine' }),
  time('age-zero', 'Age: 0', { ...header('0'), kind: 'fine' }),
  ahead('minutes', 0.5),
  ahead('hours', 9),
  ahead('days', 50),
  ahead('year', 9_000),
];

/** Changes the data once, before the answer to the second page of a list. */
function during(list: string, change: (state: State, now: number) => void): Rules {
  let isDone = false;
  return {
    question: ({ route, query }, { state, now }) => {
      if (isDone || route !== list || query.page !== '2') return;
      isDone = true;
      change(state, now());
    },
  };
}

function sold(number: number, at: number): Order {
  const nothing = { courses: [11], bundles: [], digitals: [], country: 'US', student: 95 };
  const common = { amount: '49.90', currency: 'USD', status: 'paid', email: 'late@example.com' } as const;
  return { id: `ord_x${number}`, number, at: Math.floor(at / 1000) * 1000, ...common, ...nothing };
}

const isPaid = ({ status, amount }: Order) => status === 'paid' && Number(amount) > 0;

function refund({ orders }: State): void {
  const order = orders.filter(isPaid)[4];
  if (order !== undefined) order.status = 'failed';
}

const sell = ({ orders }: State, now: number) => void orders.unshift(sold(9_001, now - 2 * hour));

const newcomer = (now: number): Student => {
  const one = { id: 900, name: 'New Face', email: 'new.face@example.com', paying: false };
  return { ...one, at: Math.floor(now / 1000) * 1000, percents: new Map(), roles: new Set() };
};

const changes = classOf('changes', 'changes', { kind: 'open', probes: sales });

const meanwhile = (name: string, says: string, change: (state: State, now: number) => void) =>
  changes(name, says, during('orders.list', change));

export const changeSwitches: readonly Switch[] = [
  meanwhile('refund', 'an order of the first page is undone before the second', refund),
  meanwhile('sale', 'an order of two hours ago appears before the second page', sell),
  meanwhile('swap', 'one order is undone and one of two hours ago appears, so that the total stays', (state, now) => {
    refund(state);
    sell(state, now);
  }),
  meanwhile('gone', 'an order is deleted before the second page', ({ orders }) => void orders.splice(5, 1)),
  meanwhile('gone-and-old', 'one order is deleted and an old one appears, so that the total stays', ({ orders }) => {
    orders.splice(5, 1);
    const last = orders.at(-1);
    if (last !== undefined) orders.push(sold(9_002, last.at - hour));
  }),
  changes('students-join', 'somebody signs up before the second page', {
    ...{ kind: 'fine', probes: ['list_students/whole', 'list_students/time'] },
    ...during('students.list', ({ students }, now) => void students.push(newcomer(now))),
  }),
  changes('students-join-first', 'somebody signs up, and the list is newest first', {
    ...{ kind: 'fine', probes: ['list_students/whole'] },
    ...during('students.list', ({ students }, now) => void students.unshift(newcomer(now))),
  }),
  changes('students-leave', 'a student of the first page is deleted before the second', {
    probes: ['list_students/whole'],
    ...during('students.list', ({ students }) => void students.splice(3, 1)),
  }),
];
