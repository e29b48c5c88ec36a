import { ok, type Rules } from '../academy/rules.ts';
import { access, classOf, enrolls, records, refusing, type Switch } from './switch.ts';

// Platforms whose answers to writes are well formed and mean something else.

const enrollments = [...enrolls, 'enroll_student/twice', 'sync_roster/confirm'];
const effects = classOf('effect', 'effects', { kind: 'departs', probes: enrollments });

export const effectSwitches: readonly Switch[] = [
  effects('grant-pending', 'an enrollment makes an order that is pending', {
    probes: enrollments.filter((name) => name !== 'enroll_student/twice'),
    after: (given, { route }, { state }) => {
      const granted = state.orders.filter(({ id }) => route === 'student.enroll' && id.startsWith('ord_g'));
      for (const order of granted) order.status = 'pending';
      return given;
    },
  }),
  effects('grant-null', 'an enrollment makes an order without an amount', {
    order: (shown, { id }) => (id.startsWith('ord_g') ? { ...shown, amount: null } : shown),
  }),
  effects('grant-unseen', 'an enrollment makes an order that no list shows', {
    page: ({ shown, meta }) => ({ shown: shown.filter(({ id }) => !String(id).startsWith('ord_g')), meta }),
  }),
];

const writes = /^student\.(enroll|unenroll|revoke|reset|grant)/;

const said: Rules['after'] = (reply, { route }) => (writes.test(route) ? { ...reply, body: { success: true } } : reply);

export const doesNothing: Rules = { after: said, effect: ({ route }) => (writes.test(route) ? 'dropped' : 'done') };

export const showsLate: Rules = { after: said, effect: ({ route }) => (writes.test(route) ? 'late' : 'done') };

/** Takes a course off the newest order of the student alone. */
export const clearsOneOrder: Rules = {
  before: ({ route, body }, { state }) => {
    if (route !== 'student.revoke-course') return undefined;
    const student = state.students.find(({ email }) => email === body.email);
    const own = state.orders.filter((order) => order.student === student?.id).sort((one, other) => other.at - one.at);
    const newest = own.find(({ courses }) => courses.includes(Number(body.course_id)));
    if (newest !== undefined) newest.courses = newest.courses.filter((id) => id !== Number(body.course_id));
    return { status: 200, headers: {}, body: { success: true } };
  },
};

/** Takes a bundle off orders, and leaves its courses and downloads. */
export const leavesContents: Rules = {
  before: ({ route, body }, { state }) => {
    if (route !== 'student.revoke-bundle') return undefined;
    for (const order of state.orders) order.bundles = order.bundles.filter((id) => id !== Number(body.bundle_id));
    return { status: 200, headers: {}, body: { success: true } };
  },
};

export const answersAboutAnother: Rules = {
  effect: ({ route }) => (route === 'student.enroll' ? 'dropped' : 'done'),
  after: (reply, { route, body }) => {
    if (route !== 'student.enroll') return reply;
    return { ...reply, body: { student: { id: 7, email: String(body.email).replace('@', '+work@') } } };
  },
};

export const entries = (fields: Record<string, unknown>): Rules => ({
  details: (shown) => ({
    ...shown,
    enrolled_courses: records(shown.enrolled_courses).map((one) => ({ ...one, ...fields })),
  }),
});

/** Orders list only their bundles. */
export const bundlesAlone: Rules = {
  order: (shown) => (records(shown.bundles).length > 0 ? { ...shown, courses: [], digital_products: [] } : shown),
  details: ({ enrolled_courses: _courses, ...shown }) => shown,
};

/** The list of one email also has an order that shows another one. */
export const anotherEmail: Rules = {
  order: (shown, { student }) => (student === 2 ? { ...shown, user_email: 'old@example.com' } : shown),
  details: ({ paid_orders: _orders, ...shown }) => shown,
};

const meaning = classOf('writes', 'meaning of writes', { kind: 'departs', probes: access });

const removals = ['revoke_course', 'revoke_bundle', 'unenroll_student', 'revoke_role'];
const resets = ['reset_course_progress', 'reset_bundle_progress'];

/** Bodies of a 200 that say that the work was not done, or not yet. */
const notDone = {
  'dry-run': { success: true, dry_run: true },
  noop: { result: 'noop' },
  unchanged: { success: true, changed: false },
  queued: { success: true, queued: true, job_id: 3 },
  'none-affected': { affected: 0 },
};

export const writeMeaningSwitches: readonly Switch[] = [
  meaning('nothing', 'every access write answers with success and does nothing', { ...doesNothing, trusts: true }),
  meaning('late', 'access writes become visible later', {
    ...{ ...showsLate, trusts: true, probes: [...enrolls, ...removals, ...resets] },
  }),
  meaning('one-order', 'a revocation clears one order', { ...clearsOneOrder, trusts: true, probes: ['revoke_course'] }),
  meaning('contents', 'a bundle is revoked, its contents stay', {
    ...{ ...leavesContents, trusts: true, probes: ['revoke_bundle'] },
  }),
  ...Object.entries(notDone).map(([name, body]) =>
    meaning(name, `nothing is done, and the answer is ${JSON.stringify(body)}`, { ...refusing(() => ok(body)) }),
  ),
  meaning('another', 'an enrollment answers with another student', {
    ...{ ...answersAboutAnother, trusts: true, probes: enrolls },
  }),
];
