import { failure, notFound, type Reply } from '../academy/call.ts';
import type { Rules } from '../academy/rules.ts';
import { sameEmail } from '../academy/state.ts';
import { bulk, type Switch, students } from './switch.ts';

const probes = [...students, ...bulk, 'enroll_student'];

function filter(name: string, kind: Switch['kind'], says: string, ofStudent: NonNullable<Rules['ofStudent']>): Switch {
  return {
    name: `filter-${name}`,
    class: 'filters',
    kind,
    says,
    probes: ['list_orders/student', 'list_orders/nobody', ...probes],
    rules: { ofStudent },
  };
}

const firstName = (email: string) => email.toLowerCase().split('.')[0] ?? '';

function filterReply(name: string, says: string, reply: () => Reply): Switch {
  const rules: Rules = {
    before: ({ route, query }, { state }) => {
      const isAsked = route === 'orders.list' && query.user_email !== undefined;
      return isAsked && !state.orders.some(({ email }) => email === query.user_email) ? reply() : undefined;
    },
  };
  return {
    name: `filter-${name}`,
    class: 'filters',
    kind: 'open',
    says,
    probes: ['list_orders/nobody', ...probes],
    rules,
  };
}

export const filterSwitches: readonly Switch[] = [
  filter('partial', 'departs', 'a part of the email matches', (email, wanted) =>
    email.toLowerCase().includes(firstName(wanted)),
  ),
  filter('ignored', 'departs', 'the email is ignored', () => true),
  filter(
    'unknown-ignored',
    'departs',
    'an email without orders is ignored',
    (email, wanted, { state }) => email === wanted || !state.orders.some((order) => order.email === wanted),
  ),
  filter('capitals', 'fine', 'letter case is ignored', sameEmail),
  filterReply('unknown-404', '404 for an email without orders', notFound),
  filterReply('unknown-422', '422 for an email without orders', () =>
    failure(422, 'invalid_parameter', 'user_email is not known'),
  ),
  {
    name: 'filter-emails-missing',
    class: 'filters',
    kind: 'departs',
    says: 'every third order without an email',
    probes: ['find_buyers', 'sales_report', 'list_orders', 'course_progress', ...students],
    rules: { order: (shown, { number }) => (number % 3 === 0 ? { ...shown, user_email: null } : shown) },
  },
];
