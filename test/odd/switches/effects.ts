import type { Rules } from '../academy/rules.ts';
import type { Switch } from './switch.ts';

function effects(
  name: string,
  says: string,
  rules: Rules,
  probes: readonly string[],
  more: Partial<Switch> = {},
): Switch {
  return { name: `effect-${name}`, class: 'effects', kind: 'departs', says, probes, rules, ...more };
}

/** Changes the newest orders that an enrollment made. */
function granting(change: (order: { amount: string; status: string }) => void): Rules {
  return {
    after: (given, { route }, { state }) => {
      if (route === 'student.enroll') for (const order of state.orders) if (order.id.startsWith('ord_g')) change(order);
      return given;
    },
  };
}

const enrollments = [
  'enroll_student/new',
  'enroll_student/known',
  'enroll_student/bundle',
  'enroll_student/twice',
  'sync_roster/confirm',
];

export const effectSwitches: readonly Switch[] = [
  effects(
    'grant-pending',
    'an enrollment makes an order that is pending',
    granting((order) => {
      order.status = 'pending';
    }),
    enrollments.filter((name) => name !== 'enroll_student/twice'),
  ),
  {
    ...effects('grant-null', 'an enrollment makes an order without an amount', {}, enrollments),
    rules: { order: (shown, { id }) => (id.startsWith('ord_g') ? { ...shown, amount: null } : shown) },
  },
  {
    ...effects('grant-unseen', 'an enrollment makes an order that no list shows', {}, enrollments),
    rules: {
      after: (given) => given,
      page: ({ shown, meta }) => ({ shown: shown.filter(({ id }) => !String(id).startsWith('ord_g')), meta }),
    },
  },
];
