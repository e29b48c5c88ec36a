import { expect, test } from 'vitest';
import { at, type Row, row, rows } from '../../support/academy.ts';
import { addOrder, altering, newcomer, refusing } from '../../support/arrange.ts';
import { connect } from '../../support/connect.ts';
import { startBetween, startGuarded } from '../../support/guarded.ts';
import { expectPlan, requestsOf } from '../../support/refusal.ts';
import { without } from '../../support/truth.ts';

// Who holds what, where the platform does not show it as the document does.

const bulk = 'sync_roster';
const details = '/students/details';
const preflight = { ACADEMY_PREFLIGHT: 'true' };

const ofOrders = (change: (order: Row) => Row) =>
  altering((body) => ({ ...body, orders: rows(body.orders).map(change) }));

/** Details without courses and orders. */
const bare = altering((body) => without(body, 'enrolled_courses', 'paid_orders'));

/** An academy with one who holds course 1 and one who holds nothing. */
async function startWithTwo() {
  const guarded = await startGuarded(preflight);
  const holder = newcomer(guarded.sandbox, 'holder@example.com');
  addOrder(guarded.sandbox, holder, { courses: [1] });
  newcomer(guarded.sandbox, 'there@example.com');
  return guarded;
}

const students = [{ email: 'holder@example.com' }, { email: 'there@example.com' }];

test('a student who holds the course only by an order is not planned, whatever their details show', async () => {
  const { call, onPath } = await startWithTwo();
  onPath(details, bare);
  const plan = expectPlan(await call(bulk, { students, product: 'course 1' }));
  expect(plan).toMatch(/^Skipped: holder@example\.com \(already holds it\)\.$/m);
  expect(plan).toMatch(/^Existing students: there@example\.com\.$/m);
});

test('a doubtful student is named and left out, unless include_doubtful', async () => {
  const { call, onPath, writes } = await startWithTwo();
  const odd = ofOrders((order) => ({ ...without(order, 'courses'), contents: 'see the invoice' }));
  onPath('/orders?', odd);
  onPath(details, bare);
  const plan = expectPlan(await call(bulk, { students, product: 'course 1' }));
  expect(plan).toMatch(/^To enroll: 1 student, .* Doubtful, left out: 1\.$/m);
  expect(plan).toMatch(/^Doubtful, left out: holder@example\.com \(the products of order \w+ could not be read\)\.$/m);
  const { structured = {} } = await call(bulk, { students, product: 'course 1', confirm: true });
  expect(structured.totals).toEqual({ applied: 1, doubtful: 1 });
  expect(row(structured.students)['holder@example.com']).toMatch(/^doubtful: the products of order/);
  expect(structured.next).toContain('include_doubtful');
  expect(writes()).toHaveLength(1);

  const all = { students: students.slice(0, 1), product: 'course 1', include_doubtful: true };
  const wider = expectPlan(await call(bulk, all));
  expect(wider).toMatch(/^Doubtful, enrolled anyway: holder@example\.com \(the products of order/m);
  const cost = Number(/^Cost: at most (\d+) requests/m.exec(wider)?.[1]);
  const answer = await call(bulk, { ...all, confirm: true });
  expect(answer.structured?.totals).toEqual({ applied: 1 });
  expect(requestsOf(answer)).toBe(cost);
});

test.for([
  ['404 of another code', refusing(404, { error: 'Not here', errors: [{ code: 'endpoint_not_available' }] })],
  ['403', refusing(403, { error: 'Not yours' })],
  ['an empty record', altering(() => ({}))],
  ['somebody else', altering((body) => ({ ...body, email: 'else@example.com' }))],
] as const)('who cannot be read (%s) is doubtful and not new', async ([, fault]) => {
  const { call, onPath } = await startWithTwo();
  onPath(details, fault);
  const named = { students: [{ email: 'there@example.com', name: 'Another Name' }], product: 'course 1' };
  const text = expectPlan(await call(bulk, named));
  expect(text).toMatch(/^Doubtful, left out: there@example\.com \(whether they are a student could not be read/m);
  expect(text).toContain('include_doubtful');
});

test('enroll_student sends nothing for a holder, unless the call asks to enroll again', async () => {
  const { sandbox, call, writes } = await startWithTwo();
  const asked = { email: 'holder@example.com', course_id: 1 };
  const answer = await call('enroll_student', asked);
  expect(answer.structured).toMatchObject({ outcome: 'already_there', already_held: ['course 1'] });
  expect(answer.text).toMatch(/^Nothing was sent\. holder@example\.com holds course 1 "/);
  // The student, their orders, the days of access, and the title.
  expect(requestsOf(answer)).toBe(4);
  expect(writes()).toEqual([]);
  const again = await call('enroll_student', { ...asked, even_if_held: true });
  expect(again.structured?.outcome).toBe('applied');
  expect(writes()).toHaveLength(1);
  expect(sandbox.academy.students.withEmail('holder@example.com')?.name).toBe('Ina Newcomer');
});

test('enroll_student and sync_roster say on which day access to a course ended', async () => {
  const { sandbox, call, writes } = await startWithTwo();
  Object.assign(sandbox.academy.catalogue.courses.get(1) ?? {}, { days_of_access: 30 });
  const email = 'over@example.com';
  addOrder(sandbox, newcomer(sandbox, email), { courses: [1], created_at: Date.parse('2024-12-12T00:00:00Z') });
  const { text, structured } = await call('enroll_student', { email, course_id: 1 });
  expect(text).toMatch(
    /^Nothing was sent\. Orders of over@example\.com list course 1 .+, but access to course 1 ended on 2025-01-11\./,
  );
  expect(structured).toMatchObject({ outcome: 'already_there', note: expect.stringContaining('even_if_held: true') });
  const asked = { product: 'course 1', students: [email] };
  const plan = expectPlan(await call('sync_roster', asked));
  expect(plan).toContain('Doubtful, left out: over@example.com (an order lists it, but access ended on 2025-01-11).');
  expect((await call('sync_roster', { ...asked, confirm: true })).structured?.totals).toEqual({ doubtful: 1 });
  expect(writes()).toEqual([]);
  const all = { ...asked, include_doubtful: true, confirm: true };
  expect((await call('sync_roster', all)).structured?.totals).toEqual({ applied: 1 });
  expect((await call('sync_roster', all)).structured?.totals).toEqual({ already_there: 1 });
  expect(writes()).toHaveLength(1);
});

test('access to a course has not ended if a later order of a bundle alone may contain it', async () => {
  const { sandbox, call } = await startWithTwo();
  Object.assign(sandbox.academy.catalogue.courses.get(1) ?? {}, { days_of_access: 30 });
  const [email, student] = ['again@example.com', newcomer(sandbox, 'again@example.com')];
  addOrder(sandbox, student, { courses: [1], created_at: Date.parse('2024-12-12T00:00:00Z') });
  addOrder(sandbox, student, { bundles: [1] });
  expect((await call('enroll_student', { email, course_id: 1 })).text).toMatch(
    /^Nothing was sent\. again@example\.com holds course 1 "/,
  );
  const plan = expectPlan(await call(bulk, { product: 'course 1', students: [email] }));
  expect(plan).toContain('again@example.com (already holds it)');
});

test('days of access that cannot be read are asked for once, and leave the plan as it is', async () => {
  const { sandbox, call, between, onPath } = await startWithTwo();
  const emails = Array.from({ length: 12 }, (_none, number) => `member${number}@example.com`);
  for (const email of emails) addOrder(sandbox, newcomer(sandbox, email), { courses: [1] });
  onPath('/products/course/1', refusing(500, { error: 'Oops' }));
  const plan = expectPlan(await call(bulk, { product: 'course 1', students: emails }));
  expect(plan).toContain('member11@example.com (already holds it; whether access has ended could not be read)');
  // With the retries of one read.
  expect(between.log.filter(({ path }) => path.includes('/products/course/1')).length).toBeLessThan(8);
  const { structured } = await call('enroll_student', { email: 'member1@example.com', course_id: 1 });
  const note = expect.stringContaining('whether access has ended could not be read');
  expect(structured).toMatchObject({ outcome: 'already_there', note });
});

test('enroll_student with a course and a bundle sends only what is not held, at the stated cost', async () => {
  const { sandbox, call, between } = await startWithTwo();
  const answer = await call('enroll_student', { email: 'holder@example.com', course_id: 1, bundle_id: 2 });
  const { id = 0 } = sandbox.academy.students.withEmail('holder@example.com') ?? {};
  expect(sandbox.academy.orders.ofStudent(id)).toHaveLength(2);
  expect(answer.structured).toMatchObject({ outcome: 'applied', already_held: ['course 1'] });
  const sent = between.log.filter(({ path }) => path.endsWith('/enroll'));
  expect(sent).toHaveLength(1);
  expect(answer.text).toMatch(/^Gave bundle 2 "[^"]+" to holder/);
  expect(requestsOf(answer)).toBe(7);
});

test('enroll_student returns the id of each order that it made', async () => {
  const { sandbox, call } = await startWithTwo();
  const known = new Set(sandbox.academy.orders.all().map(({ id }) => id));
  const { structured } = await call('enroll_student', {
    email: 'new@example.com',
    name: 'New',
    course_id: 3,
    bundle_id: 2,
  });
  const made = sandbox.academy.orders.all().filter(({ id }) => !known.has(id));
  expect(made).toHaveLength(2);
  expect(structured?.order_ids).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
});

test('in doubt, enroll_student enrolls and says so', async () => {
  const { call, onPath, writes } = await startWithTwo();
  onPath(
    '/orders?',
    ofOrders((order) => ({ ...order, status: 'completed' })),
  );
  onPath(details, bare);
  const { structured, text } = await call('enroll_student', { email: 'holder@example.com', course_id: 1 });
  expect(structured?.outcome).toBe('applied');
  expect(structured?.note).toMatch(
    /it is not known whether it was held already: order \w+ has the unknown status "completed"/,
  );
  expect(text.split('\n')[0]).toContain('It is unknown whether they held it already');
  expect(writes()).toHaveLength(1);
});

test('an unknown order status is named in the profile, and is not unpaid', async () => {
  const { call, onPath } = await startWithTwo();
  onPath(
    'user_email=',
    ofOrders((order) => ({ ...order, status: 'refunded' })),
  );
  const { structured = {}, text } = await call('student_profile', { email: 'holder@example.com' });
  expect(structured.totals).toMatchObject({ unpaid: 0, other: { refunded: 1 } });
  expect(structured.coverage).toMatchObject({ complete: false, unreadable: { statuses: 1 } });
  expect(text).toMatch(/^Incomplete \(1 status could not be read\): .*1 of an unknown status/);
});

test('orders of other students are discarded, and the ignored filter is named', async () => {
  const { call, onPath } = await startWithTwo();
  const others = altering((body) => ({
    ...body,
    meta: { total_pages: 1 },
    orders: [
      ...rows(body.orders),
      ...rows(body.orders).map((order) => ({ ...order, id: 'zzz', user_email: 'b@c.de' })),
    ],
  }));
  onPath('/orders?', others);
  const { structured = {} } = await call('student_profile', { email: 'holder@example.com' });
  expect(structured.totals).toMatchObject({ bought: 1 });
  expect(structured.coverage).toMatchObject({ discarded: 1, ignored_filters: ['user_email'] });
});

test('fewer orders than the API counts make the answer incomplete', async () => {
  const { call, onPath } = await startWithTwo();
  const fewer = altering((body) => ({ ...body, orders: [], meta: { ...row(body.meta), total_orders: 3 } }));
  onPath('/orders?', fewer);
  const { text } = await call('student_profile', { email: 'there@example.com' });
  expect(text).toMatch(/^Incomplete \(the API counts 3 orders/);
});

test('a course that an order lists and the details do not is fixed by a grant', async () => {
  const { call, onPath, writes } = await startWithTwo();
  onPath(
    details,
    altering((body) => ({ ...body, enrolled_courses: [] })),
    1,
  );
  const question = { email: 'holder@example.com', product: '1', product_type: 'course' };
  const { structured = {} } = await call('diagnose_access', question);
  expect(structured.fix).toEqual({
    tool: 'enroll_student',
    arguments: { email: 'holder@example.com', course_id: 1, even_if_held: true },
    price: 'free: an order of amount 0',
  });
  await call('enroll_student', row(row(structured.fix).arguments));
  expect(writes()).toHaveLength(1);
});

/** An academy whose orders, or details of students, are changed on the way. */
async function through(
  list: 'orders' | 'details',
  change: (record: Record<string, unknown>) => Record<string, unknown>,
) {
  const { sandbox, onPath, call } = await startBetween({ students: 60, orders: 200 });
  if (list === 'orders') onPath('/orders?', ofOrders(change));
  else onPath(details, altering(change));
  return { sandbox, call };
}

const hasBundle = ({ bundles }: Record<string, unknown>) => rows(bundles ?? []).length > 0;

test('orders that list a bundle alone make the number of buyers of a course uncertain', async () => {
  const { call } = await through('orders', (order) =>
    hasBundle(order) ? { ...order, courses: [], digital_products: [] } : order,
  );
  for (const [tool, args] of [
    ['find_buyers', { product: 'course 7' }],
    ['sales_report', { product: 'course 7' }],
    ['course_progress', { course_id: 7, max_requests: 200 }],
  ] as const) {
    const { structured, text } = await call(tool, args);
    expect(text).toMatch(/^Incomplete/);
    const { complete, unreadable } = row(structured?.coverage);
    expect([complete, Number(row(unreadable).products) > 0], text).toEqual([false, true]);
  }
  const bundles = await call('find_buyers', { product: 'bundle 1' });
  expect(row(bundles.structured?.coverage).complete, bundles.text).toBe(true);
});

test('an order that the API returned for the email asked, and that shows another email, is told by each tool', async () => {
  const { sandbox, onPath, call } = await startBetween({ students: 60, orders: 200 });
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [7] });
  const stray = (order: Record<string, unknown>) => ({
    ...order,
    id: 'under-another',
    user_email: 'ina.old@example.com',
  });
  const fault = altering((body) => ({ ...body, orders: rows(body.orders).flatMap((order) => [order, stray(order)]) }));
  onPath('user_email=', fault);
  const problem = 'the API returned 1 order for this email that shows another email';
  const profile = await call('student_profile', { email: student.email });
  expect(row(profile.structured?.coverage), profile.text).toMatchObject({ complete: false, stopped: problem });
  const diagnosis = await call('diagnose_access', { email: student.email, product: 'course 8' });
  expect(diagnosis.structured, diagnosis.text).toMatchObject({ reason: 'unclear' });
  expect(diagnosis.structured).not.toHaveProperty('holds');
  expect(diagnosis.text).toContain(problem);
  const preview = await call('offboard_student', { email: student.email });
  expect(preview.text).toContain(problem);
  const without = await call('find_buyers', { product: 'course 7', without: ['course 8'], period: 'last_7_days' });
  expect(row(without.structured?.coverage), without.text).toMatchObject({ complete: false });
  expect(Number(row(without.structured?.coverage).unchecked)).toBeGreaterThan(0);
});

test('a course that only the details list is held, and how is not known', async () => {
  const { sandbox, call } = await through('details', (body) => ({
    ...body,
    enrolled_courses: [...rows(body.enrolled_courses), { id: 9, title: 'By hand' }],
  }));
  const { email } = newcomer(sandbox);
  const profile = await call('student_profile', { email });
  expect(rows(profile.structured?.holds), profile.text).toMatchObject([{ product: 'course 9', how: 'enrolled' }]);
  const diagnosis = await call('diagnose_access', { email, product: 'course 9' });
  expect(diagnosis.structured, diagnosis.text).toMatchObject({ holds: true });
  const plan = await call('sync_roster', { students: [{ email }], product: 'course 9' });
  expect(plan.text).toMatch(/^Plan, nothing was changed: no student/);
});

test('rows of one id are one order with the products of all, and unreadable if their amounts differ', async () => {
  const { sandbox, onPath, settings, call } = await startBetween({ students: 60, orders: 200 });
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [1], amount: '10.00' });
  const inRows = (isUnclear: boolean) =>
    altering((body) => ({
      ...body,
      orders: rows(body.orders).flatMap((order) =>
        order.user_email !== student.email
          ? [order]
          : [order, { ...order, courses: [{ id: 7, title: 'Seven' }], ...(isUnclear ? { amount: '12.00' } : {}) }],
      ),
    }));
  const question = { product: 'course 7', period: 'last_7_days' };
  const ask = async (isUnclear: boolean) => {
    const armed = onPath('/orders?', inRows(isUnclear));
    const answer = await (await connect(settings)).call('find_buyers', question);
    armed.disarm();
    return answer;
  };
  const joined = await ask(false);
  const ours = rows(joined.structured?.buyers).filter(({ email }) => email === student.email);
  expect(ours, joined.text).toHaveLength(1);
  expect(joined.text).toContain('1 order, order_total (whole orders) 10.00 USD');
  const unclear = await ask(true);
  expect(row(unclear.structured?.coverage), unclear.text).toMatchObject({
    complete: false,
    unreadable: { amounts: 1 },
  });
  expect((await call('find_buyers', question)).isError).toBe(false);
  expect(at(rows(unclear.structured?.buyers ?? [{}]), 0).email).not.toBe(student.email);
});
