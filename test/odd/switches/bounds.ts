import type { Rules } from '../academy/rules.ts';
import { failure } from '../academy/rules.ts';
import { bounded, type Switch, students } from './switch.ts';

const hour = 3_600_000;

const withTimes = ['find_buyers', ...bounded, 'community_digest/week', 'search_posts/window'];
const boundProbes = [...withTimes, 'list_orders/bounds', 'enroll_student/twice'];

function bounds(name: string, kind: Switch['kind'], says: string, rules: Rules): Switch {
  return { name: `bounds-${name}`, class: 'bounds', kind, says, probes: boundProbes, rules };
}

/** A single page does not show what the API leaves out at its bounds: only tools that request a wider period can notice. */
function unseen(one: Switch): Switch {
  return {
    ...one,
    probes: boundProbes.filter((probe) => !['list_orders/bounds', 'search_posts/window'].includes(probe)),
  };
}

type Within = NonNullable<Rules['within']>;
const time = (bound: string | undefined, otherwise: number) => (bound === undefined ? otherwise : Date.parse(bound));
const day = (at: number) => Math.floor(at / (24 * hour));
const [first, last] = [-8e15, 8e15];

const exclusive: Within = (at, after, before) => at > time(after, first) && at < time(before, last);
const dayHalfOpen: Within = (at, after, before) =>
  day(at) >= day(time(after, first)) && day(at) < day(time(before, last));
const dayExclusive: Within = (at, after, before) =>
  day(at) > day(time(after, first)) && day(at) < day(time(before, last));
const dayInclusive: Within = (at, after, before) =>
  day(at) >= day(time(after, first)) && day(at) <= day(time(before, last));
const shifted =
  (hours: number): Within =>
  (at, after, before) =>
    at + hours * hour >= time(after, first) && at + hours * hour <= time(before, last);

function refusing(isRefused: (bound: string) => boolean): Rules {
  return {
    before: ({ query: { created_after, created_before } }) =>
      [created_after, created_before].some((bound) => bound !== undefined && isRefused(bound))
        ? failure(422, 'invalid_parameter', 'created_after and created_before: not a valid time')
        : undefined,
  };
}

export const boundSwitches: readonly Switch[] = [
  bounds('exclusive', 'open', 'both bounds exclusive', { within: exclusive }),
  // Orders of the first day before the bound show it, if there are some: that depends on the hour.
  unseen(
    bounds('day', 'open', 'only the day counts: from the first one to before the last one', { within: dayHalfOpen }),
  ),
  unseen(
    bounds('day-exclusive', 'open', 'only the day counts: after the first one and before the last one', {
      within: dayExclusive,
    }),
  ),
  bounds('day-inclusive', 'open', 'only the day counts: both days belong to it', { within: dayInclusive }),
  bounds('ignored', 'departs', 'both ignored', { within: () => true }),
  bounds('before-ignored', 'departs', 'created_before ignored', { within: (at, after) => at >= time(after, first) }),
  bounds('after-ignored', 'departs', 'created_after ignored', {
    within: (at, _after, before) => at <= time(before, last),
  }),
  unseen(bounds('shifted-back', 'departs', 'compared in a zone seven hours behind', { within: shifted(-7) })),
  bounds('shifted-on', 'departs', 'compared in a zone nine hours ahead', { within: shifted(9) }),
  bounds(
    'no-date',
    'departs',
    '422 for a bare date',
    refusing((bound) => bound.length === 10),
  ),
  bounds(
    'only-date',
    'departs',
    '422 for anything but a bare date',
    refusing((bound) => bound.length !== 10),
  ),
  bounds(
    'no-fraction',
    'departs',
    '422 for fractions of a second',
    refusing((bound) => /\.\d/.test(bound)),
  ),
];

function clock(name: string, hours: number): Switch {
  const says = `the clock of the academy is ${Math.abs(hours)} hours ${hours > 0 ? 'ahead' : 'behind'}`;
  const touched = [
    ...withTimes,
    ...students,
    ...['community_digest', 'search_posts', 'course_progress', 'enroll_student', 'sync_roster'],
    ...['revoke_course', 'create_lesson'],
  ];
  return {
    name: `clock-${name}`,
    class: 'clocks',
    kind: 'open',
    says,
    probes: touched,
    rules: { clockMs: hours * hour },
  };
}

export const clockSwitches: readonly Switch[] = [
  clock('minutes-ahead', 0.25),
  clock('ahead', 5),
  clock('day-ahead', 30),
  clock('month-ahead', 24 * 31),
  clock('minutes-behind', -0.25),
  clock('behind', -5),
  clock('day-behind', -30),
  clock('month-behind', -24 * 31),
];
