import type { Call, Reply } from '../academy/call.ts';
import { notFound } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import { access, lessonReads, type Switch, students, updates } from './switch.ts';

// A cache on the way keys its answers too loosely: a question about one record gets the record of another question.

/** The routes of one record, and of answers that may show one. */
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

/** The record with other values of these, also under a key. */
export function anotherOne(
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

function records(
  name: string,
  says: string,
  probes: readonly string[],
  rules: Rules,
  more: Partial<Switch> = {},
): Switch {
  return { name: `records-${name}`, class: 'another record', kind: 'departs', says, probes, rules, ...more };
}

const people = [...students, 'course_progress', 'sync_roster'];

export const recordSwitches: readonly Switch[] = [
  records(
    'all',
    'every answer about one record is about another one',
    ['get_order', 'get_course_completion', ...people, ...lessonReads, ...access, ...updates],
    anotherRecord(),
    { trusts: true },
  ),
  records('email', 'another email, the id that was asked for', [...people, ...access], anotherRecord(['email'])),
  records(
    'first-completion',
    'the percentage of the first student is kept for all',
    ['course_progress'],
    keepsFirst(/completion$/),
  ),
  records('first-details', 'the details of the first student are kept for all', people, keepsFirst(/details$/)),
  records('first-lessons', 'the lessons of the first course are kept for all', lessonReads, keepsFirst(/structure$/)),
  records('first-order', 'the first order is kept for all', ['get_order', 'list_orders'], keepsFirst(/orders\.get$/)),
  records('gone', 'the record that was asked for is not found by its id', ['get_order', ...lessonReads], {
    before: ({ route }) => (/(orders\.get|structure)$/.test(route) ? notFound() : undefined),
  }),
];
