import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { type Row, rows } from '../support/academy.ts';
import { addOrder, cut, daysAgo, newcomer, refusing } from '../support/arrange.ts';
import { startGuarded } from '../support/guarded.ts';
import { expectRefusal } from '../support/refusal.ts';

// Bundle 1, "Data Path", holds courses 1, 7 and 9, and two digital products.

/** A student who bought the bundle, two of its courses before that, and something else. */
function buyerIn(sandbox: Sandbox) {
  const student = newcomer(sandbox);
  const add = (order: Parameters<typeof addOrder>[2]) => addOrder(sandbox, student, order).id;
  const { course_ids, digital_product_ids } = sandbox.academy.catalogue.bundles.get(1) ?? {
    course_ids: [],
    digital_product_ids: [],
  };
  const contents = { courses: course_ids, digital_products: digital_product_ids };
  return {
    student,
    email: student.email,
    bundle: add({ bundles: [1], ...contents, amount: '39.00' }),
    first: add({ courses: [1], amount: '148.00', created_at: daysAgo(50) }),
    second: add({ courses: [7, 8], amount: '79.00', status: 'wallet_executed', created_at: daysAgo(40) }),
    granted: add({ courses: [9], amount: '0.00', created_at: daysAgo(30) }),
    pending: add({ courses: [7], amount: '55.00', status: 'pending', created_at: daysAgo(20) }),
    other: add({ courses: [8], amount: '10.00', created_at: daysAgo(10) }),
  };
}

const lineOf = (text: string, order: string) => text.split('\n').find((line) => line.startsWith(`  Order ${order} (`));

test('the preview of revoke_bundle lists every order that it empties, with its kind and amount', async () => {
  const { call, sandbox, writes } = await startGuarded();
  const { email, bundle, first, second, granted, pending, other } = buyerIn(sandbox);
  const text = expectRefusal(await call('revoke_bundle', { email, bundle_id: 1 }), 'confirmation_required');
  expect(text).toContain(
    'Taken off 5 orders: 1 bought with this bundle for 39.00 USD, 2 bought separately for 227.00 USD, 1 granted, 1 not paid.',
  );
  expect(lineOf(text, bundle)).toContain('bought with the bundle for 39.00 USD');
  expect(lineOf(text, first)).toMatch(/\(bought separately for 148\.00 USD, .*loses course 1\.$/);
  expect(text).toContain('An order below without "keeps" has no product left:');
  expect(text).toMatch(/^Holds .*course 1 ".+"/m);
  expect(lineOf(text, second)).toMatch(
    /bought separately for 79\.00 USD, the amount of the whole order, .*keeps course 8\.$/,
  );
  expect(lineOf(text, granted)).toContain('(granted, ');
  expect(lineOf(text, pending)).toContain('(pending, not paid: 55.00 USD, ');
  expect(lineOf(text, other)).toBeUndefined();
  expect(text).toMatch(/product_count says that it holds 5: 5 of 5 are known/);
  expect(text).toContain('sales_report and find_buyers no longer count these orders');
  expect(text).toMatch(/: This takes bundle 1 "Data Path" from /);
  expect(writes()).toEqual([]);
});

test.each([
  { courses: [9], amount: '33.00', user_email: 'INA.Newcomer@Example.com' },
  { courses: [9], amount: '4000', currency: 'JPY' },
  { courses: [7], amount: '56.00', status: 'failed' },
] as const)('revoke_bundle lists, in the preview and in an unclear outcome, an order with %o', async (order) => {
  const { call, sandbox, onPath } = await startGuarded();
  const { student, email, ...orders } = buyerIn(sandbox);
  const { id } = addOrder(sandbox, student, { ...order, courses: [...order.courses] });
  onPath('/revoke-bundle', cut, 3);
  const preview = expectRefusal(await call('revoke_bundle', { email, bundle_id: 1 }), 'confirmation_required');
  expect(lineOf(preview, id)).toMatch('status' in order ? /not paid/ : /\(bought separately/);
  const lost = expectRefusal(await call('revoke_bundle', { email, bundle_id: 1, confirm: true }), 'outcome_unknown');
  const { other, ...emptied } = orders;
  for (const one of [id, ...Object.values(emptied)]) expect(lineOf(lost, one)).toBeDefined();
  expect(lineOf(lost, other)).toBeUndefined();
});

test('revoke_bundle tells an order of another bundle apart from those of its own and from products bought separately', async () => {
  const { call, sandbox } = await startGuarded();
  const { student, email } = buyerIn(sandbox);
  const other = (day: number) =>
    addOrder(sandbox, student, { bundles: [3], courses: [5, 7], amount: '100.00', created_at: daysAgo(day) }).id;
  const orders = [60, 61, 62].map(other);
  const text = expectRefusal(await call('revoke_bundle', { email, bundle_id: 1 }), 'confirmation_required');
  expect(text).toMatch(
    /1 bought with this bundle for 39\.00 USD, 3 bought with another bundle for 300\.00 USD, 2 bought separately for 227\.00 USD/,
  );
  for (const order of orders) expect(lineOf(text, order)).toMatch(/bought with bundle 3 ".+" for 100\.00 USD/);
  const { structured } = await call('revoke_bundle', { email, bundle_id: 1, confirm: true });
  const others = rows(structured?.taken).filter(({ order_id }) => orders.includes(String(order_id)));
  expect(others.map(({ how }) => how)).toEqual(orders.map(() => expect.stringMatching(/^bought with bundle 3 ".+"$/)));
  expect(structured?.sums).toMatchObject({
    'bought with another bundle': '3 orders, 300.00 USD (whole orders: see keeps)',
  });
});

test('an order of one other bundle alone is perhaps bought with it, and never with the revoked one', async () => {
  const { call, sandbox } = await startGuarded();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { bundles: [1], courses: [1, 7], amount: '39.00' });
  const other = addOrder(sandbox, student, { bundles: [3], courses: [7], amount: '50.00' }).id;
  const { text } = await call('revoke_bundle', { email: student.email, bundle_id: 1 });
  expect(text).toContain('1 bought, perhaps with another bundle for 50.00 USD');
  expect(lineOf(text, other)).toMatch(/bought, perhaps with bundle 3 ".+" for 50\.00 USD/);
});

test('a bundle that is on no order is not revoked, and no consent is asked for', async () => {
  const { call, sandbox, writes } = await startGuarded();
  const { email } = buyerIn(sandbox);
  const text = expectRefusal(await call('revoke_bundle', { email, bundle_id: 3 }), 'confirmation_required');
  expect(text).toContain(`no order of ${email} lists bundle 3 "`);
  expect(text).toContain('": nothing would be taken');
  expect(text).toContain('They hold bundle 1 "Data Path".');
  expect(text).not.toContain('confirm: true');
  expect(writes()).toEqual([]);
});

test('a course that nothing lists is not revoked, and no consent is asked for', async () => {
  const { call, sandbox, writes } = await startGuarded();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [8] });
  const question = { email: student.email, name: 'x', course_id: 5 };
  const text = expectRefusal(await call('revoke_course', question), 'confirmation_required');
  expect(text).toMatch(/ lists course 5 ".+": nothing would be taken/);
  expect(text).toContain(`no order of ${student.email} `);
  expect(text).toMatch(/They hold course 8 ".+"\./);
  expect(text).not.toContain('This takes');
  expect(text).not.toContain('confirm: true');
  expect(writes()).toEqual([]);
});

test('a course on an unpaid order alone is not called held: the preview and the answer say that nothing puts it back', async () => {
  const { call, sandbox } = await startGuarded();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [5], status: 'failed' });
  const question = { email: student.email, name: 'x', course_id: 5 };
  const text = expectRefusal(await call('revoke_course', question), 'confirmation_required');
  const never =
    'No paid or granted order lists it: enroll_student would give it free, and nothing puts it back on an unpaid order.';
  expect(text).toContain(`Taken off 1 order: 1 not paid. ${never}`);
  const { structured } = await call('revoke_course', { ...question, confirm: true });
  expect(structured).toMatchObject({ verified: true, can_undo: never });
});

test('a preview says that access to what is held may have ended, and the reset of a course says when it did', async () => {
  const { call, sandbox } = await startGuarded();
  const student = newcomer(sandbox);
  const { id } = sandbox.academy.catalogue.courses.all().find(({ days_of_access: days }) => days !== null) ?? { id: 0 };
  addOrder(sandbox, student, { courses: [id, 8], created_at: daysAgo(400) });
  const { email } = student;
  const other = expectRefusal(await call('revoke_course', { email, name: 'x', course_id: 8 }), 'confirmation_required');
  expect(other).toContain('Access to the products with days_of_access may have ended: diagnose_access shows it.');
  const reset = expectRefusal(await call('reset_course_progress', { email, course_id: id }), 'confirmation_required');
  expect(reset).toMatch(new RegExp(`course ${id} ".+" \\(access ended on \\d{4}-\\d\\d-\\d\\d\\)`));
});

test('the answer of revoke_role claims only that the role was removed if it was held', async () => {
  const { call, sandbox } = await startGuarded();
  const { email } = newcomer(sandbox);
  const { structured, text } = await call('revoke_role', { email, role_id: 1, confirm: true });
  expect(structured).toMatchObject({ outcome: 'applied', note: expect.stringContaining('if it was held') });
  expect(text).toMatch(/^Removed role 1 ".+" from .+, if they had it\./);
});

test('the preview of revoke_bundle says how to see several bundles together', async () => {
  const { call, sandbox } = await startGuarded();
  const student = newcomer(sandbox);
  const { email } = student;
  addOrder(sandbox, student, { bundles: [1], courses: [1] });
  const preview = { email, bundle_id: 1 };
  expect((await call('revoke_bundle', preview)).text).not.toContain('offboard_student');
  addOrder(sandbox, student, { bundles: [3], courses: [5] });
  expect((await call('revoke_bundle', preview)).text).toContain(
    'They also hold bundle 3, each revoked by a call of its own: offboard_student without confirm shows',
  );
});

test('the preview names the contents of a bundle that no order shows as unknown', async () => {
  const { call, sandbox } = await startGuarded();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { bundles: [1], courses: [1] });
  const { email } = student;
  const text = expectRefusal(await call('revoke_bundle', { email, bundle_id: 1 }), 'confirmation_required');
  expect(text).toContain('product_count says that it holds 5: 4 of 5 are not known');
  expect(text).toContain('other orders, even products bought separately');
});

test('the answer of revoke_bundle lists the products removed from each order, as read back, and how to grant them again', async () => {
  const { call, sandbox } = await startGuarded();
  const { email, bundle, first, second, granted, pending } = buyerIn(sandbox);
  const { structured, text } = await call('revoke_bundle', { email, bundle_id: 1, confirm: true });
  const fields = ({ order_id, products, how, amount }: Row) => [order_id, products, how, amount];
  const taken = rows(structured?.taken).map(fields);
  expect(taken).toHaveLength(5);
  const contents = expect.stringMatching(/^(?=.*bundle 1)(?=.*course 1)(?=.*course 7)(?=.*course 9)/);
  expect(taken).toEqual(
    expect.arrayContaining([
      [bundle, contents, 'bought with the bundle', '39.00'],
      [first, 'course 1', 'bought separately', '148.00'],
      [second, 'course 7', 'bought separately', '79.00'],
      [granted, 'course 9', 'granted', '0.00'],
      [pending, 'course 7', 'not paid', '55.00'],
    ]),
  );
  expect(structured?.sums).toEqual({
    'bought with the bundle': '1 order, 39.00 USD',
    'bought separately': '2 orders, 227.00 USD (whole orders: see keeps)',
    granted: '1 order',
    'not paid': '1 order',
  });
  expect(structured?.titles).toMatchObject({ 'bundle 1': 'Data Path', 'course 9': expect.any(String) });
  expect(structured).toMatchObject({ verified: true, bundle_title: 'Data Path' });
  expect(structured?.grant_again).toMatch(/^enroll_student with bundle_id 1, then course_id \d, then course_id \d/);
  for (const [order, products] of taken) {
    expect(text).toContain(String(order));
    expect(text).toContain(String(products));
  }
});

test('the answer lists what the API removed beyond what orders showed', async () => {
  const { call, sandbox } = await startGuarded();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { bundles: [1], courses: [1] });
  const unseen = addOrder(sandbox, student, { courses: [9], amount: '60.00' });
  const { structured } = await call('revoke_bundle', { email: student.email, bundle_id: 1, confirm: true });
  const orders = rows(structured?.taken).map(({ order_id }) => order_id);
  expect(orders).toContain(unseen.id);
});

test('if the orders cannot be read back, the answer lists their products from before', async () => {
  const { call, sandbox, between } = await startGuarded();
  const { email } = buyerIn(sandbox);
  let isWritten = false;
  const isLook = (method: string, path: string) => {
    isWritten ||= path.endsWith('/revoke-course');
    return isWritten && method === 'GET' && path.includes('/orders');
  };
  between.arm({ name: 'down', fault: refusing(403), match: isLook, times: 12 });
  const { structured, isError } = await call('revoke_course', { email, name: 'x', course_id: 1, confirm: true });
  expect(isError).toBe(false);
  expect(structured).toMatchObject({ outcome: 'applied', verified: false });
  expect(structured?.note).toContain('could not be read afterwards');
  expect(rows(structured?.taken)).toHaveLength(2);
});

test('if nothing can be read before, the write is sent, and the answer says what is unknown', async () => {
  const { call, sandbox, onPath } = await startGuarded();
  const { email } = buyerIn(sandbox);
  onPath('/orders', refusing(403), 4);
  const { structured } = await call('revoke_course', { email, name: 'x', course_id: 1, confirm: true });
  expect(structured).toMatchObject({ outcome: 'applied', verified: false });
  expect(structured?.note).toContain('it is not known what was removed');
});

test.for(['revoke_course', 'revoke_bundle'])(
  'if the outcome of %s is unknown, the error lists what was on the orders before',
  async (tool) => {
    const { call, sandbox, onPath } = await startGuarded();
    const { email, first, bundle, other } = buyerIn(sandbox);
    onPath('/revoke-', cut, 4);
    const target = tool === 'revoke_course' ? { name: 'x', course_id: 1 } : { bundle_id: 1 };
    const text = expectRefusal(await call(tool, { email, ...target, confirm: true }), 'outcome_unknown');
    for (const order of [first, bundle]) expect(lineOf(text, order)).toMatch(/loses .*course 1 "/);
    expect(lineOf(text, first)).toContain('bought separately for 148.00 USD');
    expect(lineOf(text, other)).toBeUndefined();
    expect(text).toContain(
      `To grant it again: enroll_student with ${tool === 'revoke_course' ? 'course' : 'bundle'}_id 1`,
    );
  },
);

test('if the outcome of a reset is unknown, the error states the progress from before', async () => {
  const { call, sandbox, onPath } = await startGuarded();
  const { email } = buyerIn(sandbox);
  onPath('/reset-', cut, 4);
  const text = expectRefusal(
    await call('reset_bundle_progress', { email, bundle_id: 1, confirm: true }),
    'outcome_unknown',
  );
  for (const course of [1, 7, 9])
    expect(text).toMatch(new RegExp(`^Earlier progress in course ${course} ".+": 0%\\.$`, 'm'));
});

test('the answer of a reset states the progress from before', async () => {
  const { call, sandbox } = await startGuarded();
  const { email } = buyerIn(sandbox);
  const { structured } = await call('reset_bundle_progress', { email, bundle_id: 1, confirm: true });
  const progress = rows(structured?.progress);
  expect(progress.map(({ course_id }) => course_id).sort()).toEqual([1, 7, 9]);
  for (const row of progress)
    expect(row).toMatchObject({ percent_before: 0, percent_now: 0, title: expect.any(String) });
});
