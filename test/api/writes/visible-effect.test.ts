import { expect, test } from 'vitest';
import type { Rules } from '../../odd/academy/rules.ts';
import { startOdd } from '../../odd/academy/server.ts';
import * as odd from '../../odd/switches/writes-meaning.ts';

// The stand-in academy of test/odd answers with success, and means something else.

const course = 11;

/** An academy with these rules, and a client of the program whose clock the test turns. */
async function start(...rules: Rules[]) {
  const begun = Date.now();
  const clock = { ms: 0 };
  const { academy, ...program } = await startOdd(rules, { now: () => new Date(begun + clock.ms) });
  const call = async (tool: string, args: Record<string, unknown>) => {
    const answer = await program.call(tool, args);
    const data: Record<string, unknown> = answer.structured ?? {};
    return { ...answer, data };
  };
  const email = (id: number) => academy.state.students.find((one) => one.id === id)?.email ?? '';
  const sent = () => academy.log.filter(({ writes }) => writes).length;
  return { academy, call, clock, email, sent };
}

const revoke = (email: string) => ({ email, name: 'x', course_id: course, confirm: true });

test('a revocation that removed the course is verified', async () => {
  const { call, email } = await start();
  const { data } = await call('revoke_course', revoke(email(1)));
  expect(data).toMatchObject({ outcome: 'applied', verified: true });
});

test('a revocation that was accepted and did nothing has an unknown outcome, and says what still lists the course', async () => {
  const { call, email, academy } = await start(odd.doesNothing);
  const { data, text } = await call('revoke_course', revoke(email(1)));
  const order = academy.state.orders.find(({ student }) => student === 1)?.id;
  expect(data).toMatchObject({ outcome: 'outcome_unknown', verified: false });
  expect(data.still_listed).toEqual([`order ${order}`, 'the details of the student']);
  expect(text.split('\n')[0]).toMatch(
    /^The outcome is unknown: the API accepted it, and it is still listed by order .*, the details/,
  );
});

test('of two orders, the answer names the one that still lists the course', async () => {
  const { call, email, academy } = await start(odd.clearsOneOrder);
  const own = academy.state.orders.find(({ student }) => student === 1);
  if (own === undefined) throw new Error('no order');
  academy.state.orders.push({ ...own, id: 'ord_second', number: 9_999, at: own.at + 1_000, courses: [course] });
  const { data } = await call('revoke_course', revoke(email(1)));
  expect(data).toMatchObject({ outcome: 'outcome_unknown', verified: false });
  expect(data.taken).toMatchObject([{ order_id: 'ord_second', products: `course ${course}` }]);
  expect(data.still_listed).toContain(`order ${own.id}`);
});

test('a course that nothing listed before is already gone, which verifies nothing', async () => {
  const { call, email } = await start(odd.doesNothing);
  const { data, text } = await call('revoke_course', revoke(email(100)));
  expect(data).toMatchObject({ outcome: 'already_there', verified: false });
  expect(text).toMatch(/^Nothing to remove/);
});

test('a revocation that shows late is unknown at first, and already done later', async () => {
  const { call, email, academy } = await start(odd.showsLate);
  expect((await call('revoke_course', revoke(email(1)))).data).toMatchObject({ outcome: 'outcome_unknown' });
  academy.settle();
  expect((await call('revoke_course', revoke(email(1)))).data).toMatchObject({ outcome: 'already_there' });
});

test('a bundle that went without any of its products is not taken', async () => {
  const { call, email } = await start(odd.leavesContents);
  const { data } = await call('revoke_bundle', { email: email(2), bundle_id: 31, confirm: true });
  expect(data).toMatchObject({ outcome: 'outcome_unknown', verified: false });
  expect(data.note).toMatch(/none of its products; .*course 12.*digital_product 51/);
});

test('progress that is still there was not reset, and progress of 0 proves nothing', async () => {
  const { call, email, academy } = await start(odd.doesNothing);
  const question = { email: email(1), course_id: course, confirm: true };
  const percents = academy.state.students.find(({ id }) => id === 1)?.percents;
  percents?.set(course, 40);
  const still = await call('reset_course_progress', question);
  expect(still.data).toMatchObject({ outcome: 'outcome_unknown', verified: false });
  expect(still.data.progress).toMatchObject([{ percent_before: 40, percent_now: 40 }]);
  expect(still.data.note).toContain(`still 40% in course ${course}`);
  percents?.set(course, 0);
  expect((await call('reset_course_progress', question)).data).toMatchObject({
    outcome: 'already_there',
    verified: false,
  });
});

test.for([
  ['an HTML page', { status: 200, headers: { 'content-type': 'text/html' }, raw: '<p>Sign in</p>' }],
  ['a redirect', { status: 302, headers: { location: '/sign-in' } }],
  ['a 502', { status: 502, headers: {} }],
] as const)('%s in place of the answer to a reset does not delete a progress of 0', async ([, reply]) => {
  const { call, email, academy } = await start({
    before: ({ route }) => (route === 'student.reset-course' ? { body: undefined, ...reply } : undefined),
  });
  academy.state.students.find(({ id }) => id === 1)?.percents.set(course, 0);
  const { data, text } = await call('reset_course_progress', { email: email(1), course_id: course, confirm: true });
  expect(data, text).toMatchObject({ outcome: 'already_there', verified: false });
  expect(text).not.toContain('shows that it was done');
});

test('paying_student is said to be false only if it was true before and is false now', async () => {
  const question = (email: string) => ({ email, name: 'x', confirm: true });
  const done = await start();
  expect((await done.call('unenroll_student', question(done.email(1)))).data).toMatchObject({ verified: true });
  expect((await done.call('unenroll_student', question(done.email(1)))).data.outcome).toBe('already_there');
  const dropped = await start(odd.doesNothing);
  const { data, text } = await dropped.call('unenroll_student', question(dropped.email(1)));
  expect(data).toMatchObject({ outcome: 'outcome_unknown', verified: false });
  expect(text).not.toContain('is now false');
});

test('offboarding names an accepted step whose effect is not seen as unknown', async () => {
  const { call, email } = await start(odd.doesNothing);
  const { data } = await call('offboard_student', { email: email(1), confirm: true });
  expect(data.verified).toBe(false);
  expect(data.steps).toMatchObject({ [`revoke_course ${course}`]: expect.stringMatching(/^unknown/) });
});

test('an enrollment that is answered with another student has an unknown outcome', async () => {
  const { call, email } = await start(odd.answersAboutAnother);
  const { data, text } = await call('enroll_student', { email: email(100), course_id: course });
  expect(data, text).toMatchObject({ outcome: 'outcome_unknown' });
  expect(data.unchanged_fields).toEqual({ email: email(100).replace('@', '+work@') });
});

test('a grant that the platform shows late is not given again, and every answer says how long ago it was given', async () => {
  const { call, email, sent, clock, academy } = await start(odd.showsLate);
  const student = email(100);
  expect((await call('enroll_student', { email: student, course_id: course })).data.outcome).toBe('applied');
  clock.ms += 12_000;
  const given = 'given 12 s ago by this server, not shown yet';
  const again = await call('enroll_student', { email: student, course_id: course });
  expect(again.data).toMatchObject({ outcome: 'already_there', note: expect.stringContaining(given) });
  const bulk = await call('sync_roster', {
    students: [{ email: student }],
    product: `course ${course}`,
    confirm: true,
  });
  expect(bulk.text).toContain(given);
  const diagnosis = await call('diagnose_access', { email: student, product: String(course), product_type: 'course' });
  expect(diagnosis.data).toMatchObject({ reason: 'not_shown_yet', explanation: given, coverage: { complete: false } });
  expect(diagnosis.data.fix).toBeUndefined();
  const profile = await call('student_profile', { email: student });
  expect(profile.data.coverage).toMatchObject({ complete: false, doubtful: [`course ${course} was ${given}`] });
  const forced = await call('enroll_student', { email: student, course_id: course, even_if_held: true });
  expect(forced.data).toMatchObject({ outcome: 'already_there', note: expect.stringContaining(given) });
  expect(sent()).toBe(1);
  academy.settle();
  const shown = await call('diagnose_access', { email: student, product: String(course), product_type: 'course' });
  expect(shown.data).toMatchObject({ reason: 'holds' });
});

const newcomer = 'new.face@example.com';
const lists = {
  students: (known: string) => ({ students: [{ email: known }, { email: newcomer, name: 'New Face' }] }),
  csv: (known: string) => ({ csv: `email,name\n${known},Known\n${newcomer},New Face` }),
};

test.for([
  ['students', `course ${course}`, 'student.enroll'],
  ['csv', `course ${course}`, 'student.enroll'],
  ['students', 'bundle 32', 'student.enroll'],
  ['csv', 'bundle 32', 'student.enroll'],
] as const)(
  'a second run over %s sends nothing for %s that the platform shows late',
  async ([form, product, route]) => {
    const { call, email, academy, clock } = await start(odd.showsLate);
    const asked = { ...lists[form](email(100)), product };
    const sent = () => academy.log.filter((entry) => entry.route === route).length;
    expect((await call('sync_roster', { ...asked, confirm: true })).text).toContain('2 applied');
    expect(sent()).toBe(2);
    clock.ms += 12_000;
    const given = 'given 12 s ago by this server, not shown yet';
    const plan = await call('sync_roster', asked);
    expect(plan.text.split('\nOutcome')[0]?.split(given)).toHaveLength(3);
    const again = await call('sync_roster', { ...asked, confirm: true });
    expect(again.text.split(given)).toHaveLength(3);
    expect(sent()).toBe(2);
  },
);

test('a new student whom the platform shows late is not created twice', async () => {
  const { call, sent, clock } = await start(odd.showsLate);
  const grant = { email: 'new@example.com', name: 'New', course_id: course };
  await call('enroll_student', grant);
  clock.ms += 5_000;
  expect((await call('enroll_student', grant)).data.outcome).toBe('already_there');
  expect((await call('student_profile', { email: grant.email })).text).toContain('given 5 s ago by this server');
  expect(sent()).toBe(1);
});

test('a grant is forgotten after ten minutes, and after a revocation', async () => {
  const { call, email, sent, clock } = await start(odd.doesNothing);
  const grant = { email: email(100), course_id: course };
  await call('enroll_student', grant);
  clock.ms += 601_000;
  expect((await call('enroll_student', grant)).data.outcome).toBe('applied');
  await call('revoke_course', revoke(grant.email));
  expect((await call('enroll_student', grant)).data.outcome).toBe('applied');
  expect(sent()).toBe(4);
});

const future = '2099-01-01T00:00:00Z';
const signs: [what: string, rules: Rules, sign: string][] = [
  ['a suspended entry', odd.entries({ status: 'suspended' }), 'status suspended'],
  ['an entry that starts later', odd.entries({ starts_at: future }), `starts_at ${future}`],
  [
    'an entry with its end in an object',
    odd.entries({ access: { expires_at: '2020-01-01' } }),
    'access.expires_at 2020',
  ],
  ['a student who was merged', { student: (shown) => ({ ...shown, merged_into: 12 }) }, 'merged_into 12'],
  [
    'a launch date in the future',
    {
      seed: ({ products }) => {
        for (const { id, attributes } of products) if (id === course) attributes.launch_date = future;
      },
    },
    `launch_date ${future}`,
  ],
];

test.for(signs)('%s speaks against access, and no answer says that the course is open', async ([, rules, sign]) => {
  const { call, email } = await start(rules);
  const question = { email: email(1), product: String(course), product_type: 'course' };
  const { data, text } = await call('diagnose_access', question);
  expect(data).toMatchObject({ holds: true, reason: 'hindered' });
  expect(data.explanation).toContain(sign);
  expect(data.tell).toBeUndefined();
  expect(text).not.toMatch(/is open|need not be paid/);
  if (!sign.startsWith('launch')) expect((await call('student_profile', { email: email(1) })).text).toContain(sign);
});

test('an entry that speaks for access changes nothing', async () => {
  const fields = {
    state: 'NY',
    days_left: 30,
    access: { until: future },
    status: 'active',
    expires_at: future,
    is_active: true,
    suspended_at: null,
    cancelled: false,
  };
  const { call, email } = await start(odd.entries(fields));
  const question = { email: email(1), product: String(course), product_type: 'course' };
  expect((await call('diagnose_access', question)).data.reason).toBe('holds');
});

test('the days of the bundle through which a course is held may be over', async () => {
  const { call, email } = await start({
    seed: ({ products }) => {
      for (const { id, attributes } of products) if (id === 31) attributes.days_of_access = 1;
    },
  });
  const question = { email: email(2), product: '12', product_type: 'course' };
  const { data } = await call('diagnose_access', question);
  expect(data).toMatchObject({ reason: 'hindered', explanation: expect.stringContaining('bundle 31 lasts 1 days') });
});

test('orders that list only a bundle leave it unknown which courses are held, in every answer', async () => {
  const { call, email } = await start(odd.bundlesAlone);
  const student = email(2);
  const diagnosis = await call('diagnose_access', { email: student, product: '12', product_type: 'course' });
  expect(diagnosis.data.reason).toBe('unclear');
  const profile = await call('student_profile', { email: student });
  expect(profile.data.coverage).toMatchObject({ complete: false });
  const plan = await call('sync_roster', { students: [{ email: student }], product: 'course 12', confirm: true });
  expect(plan.text).toMatch(/doubtful/i);
});

test('an order of the email asked for that shows another email is never dropped in silence', async () => {
  const { call, email } = await start(odd.anotherEmail);
  const profile = await call('student_profile', { email: email(2) });
  expect(profile.data.coverage).toMatchObject({ complete: false });
  expect(profile.text).toContain('another email');
});
