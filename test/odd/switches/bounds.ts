import { failure, type Rules } from '../academy/rules.ts';
import { bounded, classOf, type Switch, students } from './switch.ts';

const hour = 3_600_000;

const withTimes = ['find_buyers', ...bounded, 'community_digest/week', 'search_posts/window'];
const boundProbes = [...withTimes, 'list_orders/bounds', 'enroll_student/twice'];

const bounds = classOf('bounds', 'bounds', { kind: 'departs', probes: boundProbes });

/** A single page does not show what the API leaves out at its bounds: only tools that request a wider period can notice. */
const unseen = boundProbes.filter((probe) => !['list_orders/bounds', 'search_posts/window'].includes(probe));

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

const refusing =
  (isRefused: (bound: string) => boolean): NonNullable<Rules['before']> =>
  ({ query: { created_after, created_before } }) =>
    [created_after, created_before].some((bound) => bound !== undefined && isRefused(bound))
      ? failure(422, 'invalid_parameter', 'created_after and created_before: not a valid time')
      : undefined;

export const boundSwitches: readonly Switch[] = [
  bounds('exclusive', 'both bounds exclusive', { kind: 'open', within: exclusive }),
  // Orders of the first day before the bound show it, if there are some: that depends on the hour.
  bounds('day', 'only the day counts: from the first one to before the last one', {
    kind: 'open',
    probes: unseen,
    within: dayHalfOpen,
  }),
  bounds('day-exclusive', 'only the day counts: after the first one and before the last one', {
    kind: 'open',
    probes: unseen,
    within: dayExclusive,
  }),
  bounds('day-inclusive', 'only the day counts: both days belong to it', { kind: 'open', within: dayInclusive }),
  bounds('ignored', 'both ignored', { within: () => true }),
  bounds('before-ignored', 'created_before ignored', { within: (at, after) => at >= time(after, first) }),
  bounds('after-ignored', 'created_after ignored', { within: (at, _after, before) => at <= time(before, last) }),
  bounds('shifted-back', 'compared in a zone seven hours behind', { probes: unseen, within: shifted(-7) }),
  bounds('shifted-on', 'compared in a zone nine hours ahead', { within: shifted(9) }),
  bounds('no-date', '422 for a bare date', { before: refusing((bound) => bound.length === 10) }),
  bounds('only-date', '422 for anything but a bare date', { before: refusing((bound) => bound.length !== 10) }),
  bounds('no-fraction', '422 for fractions of a second', { before: refusing((bound) => /\.\d/.test(bound)) }),
];

const clocks = classOf('clock', 'clocks', {
  kind: 'open',
  probes: [
    ...withTimes,
    ...students,
    ...['community_digest', 'search_posts', 'course_progress', 'enroll_student', 'sync_roster'],
    ...['revoke_course', 'create_lesson'],
  ],
});
const hoursAhead = { 'minutes-ahead': 0.25, ahead: 5, 'day-ahead': 30, 'month-ahead': 24 * 31 };
const hoursBehind = { 'minutes-behind': -0.25, behind: -5, 'day-behind': -30, 'month-behind': -24 * 31 };

export const clockSwitches: readonly Switch[] = Object.entries({ ...hoursAhead, ...hoursBehind }).map(([name, hours]) =>
  clocks(name, `the clock of the academy is ${Math.abs(hours)} hours ${hours > 0 ? 'ahead' : 'behind'}`, {
    clockMs: hours * hour,
  }),
);
