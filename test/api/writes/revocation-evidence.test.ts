import { expect, test } from 'vitest';
import type { Row } from '../../support/academy.ts';
import type { Recorded, Reply } from '../../support/recorder.ts';
import { answering, expectOutcome, isWrite } from '../../support/writes.ts';

const email = 'ann@example.com';
const revokeBundle = { email, bundle_id: 4, confirm: true };
const revokeCourse = { email, name: 'Ann Lee', course_id: 7, confirm: true };
const order = (more: Row): Row => ({
  id: 'ord_1',
  amount: '49.00',
  status: 'paid',
  user_email: email,
  created_at: '2025-01-01T00:00:00Z',
  courses: [],
  bundles: [],
  digital_products: [],
  ...more,
});
const page: Reply = { headers: { 'content-type': 'text/html' }, body: '<html>Welcome</html>' };

/** One student and their orders, as they are at the time of the read. */
function studentOf(orders: () => Row[], more: Row = {}) {
  return ({ path }: Recorded): Reply => {
    if (path.endsWith('/details')) return { body: { email, name: 'Ann Lee', paid_orders: [], ...more } };
    return { body: { orders: orders(), meta: { total_pages: 1, total_orders: orders().length } } };
  };
}

/** An academy whose orders change with the write, and that answers the write with a web page. */
async function changing(before: Row[], after: Row[], more: Row = {}) {
  let orders = before;
  const reply = () => {
    orders = after;
    return page;
  };
  return await answering(
    reply,
    studentOf(() => orders, more),
  );
}

test('a bundle that an order listed before the write, and not after, was revoked', async () => {
  const { call } = await changing([order({ bundles: [{ id: 4 }] })], [order({})]);
  await call('list_orders', { user_email: email, status: 'all' });
  const answer = await call('revoke_bundle', revokeBundle);
  expectOutcome(answer, 'applied');
  expect(answer.text).toContain('reading back (list_orders)');
});

test.each([
  { form: 'bundle_id', entry: { bundle_id: 4, name: 'Pack' } },
  { form: 'bundle', entry: { id: 900, bundle: { id: 4 } } },
  { form: 'product', entry: { product: { id: 4 } } },
  { form: 'digits', entry: '4' },
  { form: 'a row with its own id', entry: { id: 900, bundle_id: 4 } },
])('a bundle that an order still lists as $form was not revoked', async ({ entry }) => {
  const { call } = await changing([order({ bundles: [entry] })], [order({ bundles: [entry] })]);
  expectOutcome(await call('revoke_bundle', revokeBundle), 'outcome_unknown');
});

test.each([
  { what: 'titles alone', before: [order({ bundles: ['Pack'] })], after: [order({ bundles: ['Pack'] })] },
  { what: 'a product that was not listed before', before: [order({})], after: [order({})] },
  { what: 'no list', before: [order({ bundles: [{ id: 4 }] })], after: [order({ bundles: undefined })] },
  { what: 'a map', before: [order({ bundles: [{ id: 4 }] })], after: [order({ bundles: { 4: 'Pack' } })] },
  {
    what: 'one entry among others that cannot be read',
    before: [order({ bundles: [{ id: 4 }] })],
    after: [order({ bundles: [{ id: 5 }, { name: 'Pack' }] })],
  },
  { what: 'none of the orders', before: [order({ bundles: [{ id: 4 }] })], after: [] },
  {
    what: 'an entry of the paid orders that is no record',
    before: [order({ bundles: [{ id: 4 }] })],
    after: [order({})],
    more: { paid_orders: [order({}), null] },
  },
])('if the orders show $what, reading back does not confirm a revocation', async ({ before, after, more = {} }) => {
  const { call } = await changing(before, after, more);
  await call('list_orders', { user_email: email, status: 'all' });
  expectOutcome(await call('revoke_bundle', revokeBundle), 'outcome_unknown');
});

test('if pages of orders repeat, a missing product does not count as revoked', async () => {
  let orders = [order({ bundles: [{ id: 4 }] })];
  const reply = () => {
    orders = [order({})];
    return page;
  };
  const read = studentOf(() => orders);
  const onRead = (request: Recorded): Reply =>
    request.path.endsWith('/orders') ? { body: { orders, meta: { total_pages: 3, total_orders: 3 } } } : read(request);
  const { call } = await answering(reply, onRead);
  await call('list_orders', { user_email: email, status: 'all' });
  expectOutcome(await call('revoke_bundle', revokeBundle), 'outcome_unknown');
});

test('a course does not count as revoked if the enrolled courses have only titles', async () => {
  const more = { enrolled_courses: ['Piano'] };
  const { call } = await changing([order({ courses: [{ id: 7 }] })], [order({})], more);
  await call('list_orders', { user_email: email, status: 'all' });
  expectOutcome(await call('revoke_course', revokeCourse), 'outcome_unknown');
});

test('progress as a fraction of one is not a progress of 0', async () => {
  const { call } = await answering(page, () => ({ body: { email, course_completion_percent: 0.54 } }));
  const answer = await call('reset_course_progress', { email, course_id: 7, confirm: true });
  expectOutcome(answer, 'outcome_unknown');
});

const enrollment = { email, name: 'Ann Lee', course_id: 7 };
const looksFirst = { ACADEMY_PREFLIGHT: 'true' };

/** An academy that grants course 7 at each enrollment, with the order in this form. */
async function granting(write: (made: Row) => Row, headers: Record<string, string> = {}, clock = () => Date.now()) {
  const orders: Row[] = [order({ id: 'old', courses: [{ id: 8 }] })];
  const read = studentOf(() => orders);
  const made = () => {
    const created_at = new Date(clock()).toISOString();
    const grant = { id: `new_${orders.length}`, amount: '0.00', created_at, courses: [{ id: 7 }] };
    orders.push(write(order(grant)));
    return { headers, body: { success: true } };
  };
  const onRead = (request: Recorded): Reply => {
    const after = new Map(request.query).get('created_after');
    const { body } = read(request);
    if (after === undefined) return { headers, body };
    // By its own clock, if it can read its own times.
    const isOld = (time: unknown) => /^\d{4}-/.test(String(time)) && Date.parse(String(time)) < Date.parse(after);
    const young = orders.filter(({ created_at }) => !isOld(created_at));
    return { headers, body: { orders: young, meta: { total_pages: 1, total_orders: young.length } } };
  };
  const academy = await answering(made, onRead, looksFirst);
  return { ...academy, orders };
}

test.each([
  { what: 'times', write: (made: Row) => ({ ...made, created_at: '15 Nov 10:00' }) },
  { what: 'any time', write: (made: Row) => ({ ...made, created_at: null }) },
  { what: 'amounts', write: (made: Row) => ({ ...made, amount: null }) },
  { what: 'statuses', write: (made: Row) => ({ ...made, status: 'Completed' }) },
  { what: 'a zone', write: (made: Row) => ({ ...made, created_at: String(made.created_at).replace('Z', '') }) },
])('a repeated grant is found if orders do not show $what as documented', async ({ write }) => {
  const { call, writesSent } = await granting(write);
  expectOutcome(await call('enroll_student', enrollment), 'applied');
  const again = await call('enroll_student', enrollment);
  expect(again.text).toMatch(
    /the student already held|given \d+ s ago by this server|order of amount 0 .* already existed/,
  );
  expect(writesSent()).toBe(1);
});

/** With even_if_held only a recent grant counts, whatever the student holds. */
const evenIfHeld = { ...enrollment, even_if_held: true };

test.each([
  { what: 'by when it appeared if its time cannot be read', off: 0, time: () => '15 Nov 10:00' },
  { what: 'by the clock of the server if it is slow', off: -3 * 3_600_000, time: (made: Row) => made.created_at },
  { what: 'by the clock of the server if it is fast', off: 3 * 3_600_000, time: (made: Row) => made.created_at },
])('a recent grant is recognized $what, with even_if_held too', async ({ off, time }) => {
  const clock = () => Date.now() + off;
  const date = new Date(clock()).toUTCString();
  const { call, writesSent } = await granting((made) => ({ ...made, created_at: time(made) }), { date }, clock);
  expectOutcome(await call('enroll_student', evenIfHeld), 'applied');
  expect((await call('enroll_student', evenIfHeld)).text).toMatch(/order of amount 0 .* already existed/);
  expect(writesSent()).toBe(1);
});

test.each([3 * 3_600_000, -3 * 3_600_000])(
  'a repeated grant is found if the clock of the server is %i ms off',
  async (off) => {
    const clock = () => Date.now() + off;
    const { call, writesSent } = await granting((made) => made, { date: new Date(clock()).toUTCString() }, clock);
    expectOutcome(await call('enroll_student', enrollment), 'applied');
    expect((await call('enroll_student', enrollment)).text).toContain('the student already held');
    expect(writesSent()).toBe(1);
  },
);

test('an old grant of a server with a slow clock does not count as the new one', async () => {
  const off = -3 * 3_600_000;
  const clock = () => Date.now() + off;
  const old = new Date(clock() - 3_600_000).toISOString();
  const write = (made: Row) => ({ ...made, created_at: old });
  const { call, writesSent } = await granting(write, { date: new Date(clock()).toUTCString() }, clock);
  await call('enroll_student', enrollment);
  // A student who holds it gets it again only on request, and then an identical recent grant would be enough.
  await call('enroll_student', { ...enrollment, even_if_held: true });
  expect(writesSent()).toBe(2);
});

test('if an order cannot be read, a lost grant is not reported as missing', async () => {
  const orders = [order({ amount: null, created_at: null, courses: ['Piano'] })];
  const { call, recorder } = await answering(
    page,
    studentOf(() => orders),
    looksFirst,
  );
  expectOutcome(await call('enroll_student', enrollment), 'outcome_unknown');
  expect(recorder.requests.filter(isWrite)).toHaveLength(1);
});

test('a lesson in an unreadable module does not count as missing, and the outcome stays unknown', async () => {
  const structure = { course: { id: 7 }, modules: [{ id: 1, title: 'One' }] };
  const { call } = await answering(page, () => ({ body: structure }), looksFirst);
  expectOutcome(await call('create_lesson', { course_id: 7, title: 'Scales' }), 'outcome_unknown');
});
