import { expect, test } from 'vitest';
import type { NewOrder } from '../../../src/sandbox/state/orders.ts';
import { type Row, row, rows } from '../../support/academy.ts';
import { addOrder, altering, daysAgo, newcomer, refusing } from '../../support/arrange.ts';
import { type Connection, startAcademy, type ToolAnswer } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';
import { without } from '../../support/truth.ts';

const course = (id: number) => ({ product: String(id), product_type: 'course' });

function factsOf({ structured = {}, isError, text }: ToolAnswer): Row {
  expect(isError, text).toBe(false);
  return structured;
}

/** Does what the diagnosis says, and looks again. */
async function fixed(call: Connection['call'], asked: Row, { fix }: Row, more: Row = {}): Promise<Row> {
  const { or_grant_free, ...direct } = row(fix);
  const { tool, arguments: args } = row(or_grant_free ?? direct);
  const { isError, text } = await call(String(tool), { ...row(args), ...more });
  expect(isError, text).toBe(false);
  return factsOf(await call('diagnose_access', asked));
}

test('a course that was bought, granted, or part of a bundle is held, and the answer shows through which order', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  const first = addOrder(sandbox, student, { courses: [1], created_at: daysAgo(9) });
  const wallet = addOrder(sandbox, student, { courses: [1], status: 'wallet_executed', created_at: daysAgo(5) });
  const gift = addOrder(sandbox, student, { courses: [2], amount: '0' });
  const bundle = addOrder(sandbox, student, { courses: [5, 6, 8], bundles: [3] });
  const since = ({ created_at }: NewOrder) => new Date(created_at).toISOString();
  const through = async (asked: Row) => {
    const facts = factsOf(await call('diagnose_access', { email: student.email, ...asked }));
    expect(facts).toMatchObject({ holds: true, reason: 'holds' });
    expect(facts.fix).toBeUndefined();
    return facts.through;
  };
  expect(await through(course(1))).toEqual([
    { order: first.id, since: since(first), how: 'bought' },
    { order: wallet.id, since: since(wallet), how: 'bought' },
  ]);
  expect(await through(course(2))).toEqual([{ order: gift.id, since: since(gift), how: 'granted' }]);
  const bought = { order: bundle.id, since: since(bundle), how: 'bought' };
  expect(await through(course(6))).toEqual([{ ...bought, via: 'perhaps Creative Year' }]);
  expect(await through({ product: 'Creative Year' })).toEqual([bought]);
});

const kinds: [what: string, asked: Row, order: Partial<NewOrder>][] = [
  ['a course', course(1), { courses: [1] }],
  ['a challenge', { product: 'Thirty Days of Drawing' }, { courses: [13] }],
  ['a bundle', { product: 'Data Path', product_type: 'bundle' }, { bundles: [1], courses: [1, 7, 9] }],
];

for (const [what, asked, order] of kinds) {
  test(`${what} that was never ordered, or is not paid, is fixed by the suggested call`, async () => {
    const { sandbox, call } = await startAcademy();
    const reasons: [reason: string, order: Partial<NewOrder> | undefined][] = [
      ['never_ordered', undefined],
      ['never_ordered', { courses: [11] }],
      ['order_pending', { ...order, status: 'pending' }],
      ['order_failed', { ...order, status: 'failed' }],
    ];
    for (const [index, [reason, given]] of reasons.entries()) {
      const student = newcomer(sandbox, `student${index}@example.com`);
      const id = given && addOrder(sandbox, student, given).id;
      const question = { email: student.email, ...asked };
      const facts = factsOf(await call('diagnose_access', question));
      expect(facts).toMatchObject({ holds: false, reason });
      if (reason.startsWith('order')) expect(facts.explanation).toContain(id);
      expect('first' in row(facts.fix), 'a payment comes before a free grant').toBe(reason.startsWith('order'));
      expect(await fixed(call, question, facts)).toMatchObject({ holds: true, reason: 'holds' });
    }
  });
}

test.each(['failed', 'pending'] as const)(
  'for a %s payment both forms show order, amount and date, and ask for the payment before a free grant',
  async (status) => {
    const { sandbox, call } = await startAcademy();
    const student = newcomer(sandbox);
    const order = { courses: [1], status, amount: '49.00', currency: 'USD', created_at: daysAgo(3) };
    const { id } = addOrder(sandbox, student, order);
    const answer = await call('diagnose_access', { email: student.email, ...course(1) });
    const created_at = new Date(order.created_at).toISOString();
    const { unpaid, fix } = factsOf(answer);
    expect(unpaid).toEqual([{ order: id, status, amount: '49.00 USD', created_at }]);
    const day = created_at.slice(0, 10);
    const named = `order ${id} (49.00 USD, ${day})`;
    expect(row(fix).first).toMatch(
      status === 'pending'
        ? /^check the open payment of .*only if it was given up, ask/
        : /^ask the student to pay again: /,
    );
    expect(row(fix).first).toContain(named);
    expect(row(row(fix).or_grant_free)).toMatchObject({ tool: 'enroll_student', price: 'free: an order of amount 0' });
    expect(answer.text).toMatch(/fix: first=.*ask the student to pay again.*; or_grant_free=/);
    for (const fact of [id, '49.00 USD', day]) expect(answer.text.split('\n')[0]).toContain(fact);
  },
);

test('an unpaid order is shown whatever the reason, and a newer one is paid again before access is granted again', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  const question = { email: student.email, ...course(4) };
  const add = (status: NewOrder['status'], days: number) =>
    addOrder(sandbox, student, { courses: [4], status, amount: '49.00', currency: 'USD', created_at: daysAgo(days) });
  const older = add('failed', 250);
  add('paid', 200);
  const ended = factsOf(await call('diagnose_access', question));
  expect(ended).toMatchObject({
    reason: 'access_ended',
    unpaid: [{ order: older.id }],
    fix: { tool: 'enroll_student' },
  });
  const failed = add('failed', 2);
  const again = await call('diagnose_access', question);
  expect(factsOf(again)).toMatchObject({ reason: 'access_ended', fix: { or_grant_free: { tool: 'enroll_student' } } });
  expect(row(factsOf(again).fix).first).toContain(`pay again: order ${failed.id} (49.00 USD, `);
  expect(again.text.split('\n')[0]).toContain(`order ${failed.id} (49.00 USD, `);
  add('paid', 1);
  const pending = add('pending', 0.5);
  const held = await call('diagnose_access', question);
  expect(factsOf(held)).toMatchObject({ holds: true, reason: 'holds' });
  expect(rows(factsOf(held).unpaid).map(({ order }) => order)).toEqual([pending.id, failed.id, older.id]);
  expect(factsOf(held).fix).toBeUndefined();
  expect(held.text.split('\n')[0]).toMatch(new RegExp(`order ${pending.id} \\(49.00 USD, .*\\) of it is pending`));
  for (const form of [held.text, factsOf(held).tell])
    expect(form).toMatch(
      new RegExp(
        `the API lists it for ${student.email}, and nothing .* speaks against .*the newer order ${pending.id} .* is pending`,
      ),
    );
});

test('a bundle whose orders list none of its courses is held, and the answer says what that does not show', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { bundles: [3] });
  const question = { email: student.email, product: 'bundle 3' };
  const { structured, text } = await call('diagnose_access', question);
  expect(structured).toMatchObject({ holds: true, note: expect.stringContaining('list none of its courses') });
  expect(structured?.tell).toBeUndefined();
  expect(text).toContain('whether these are open, or were taken off the orders, is not shown');
  addOrder(sandbox, student, { bundles: [3], courses: [5] });
  const whole = (await call('diagnose_access', question)).structured;
  expect(JSON.stringify(whole)).not.toContain('list none of its courses');
  expect(whole?.tell).toContain('speaks against access');
});

test('an unpaid order of a bundle names the bundle, and an older one is not mentioned to a holder', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  const question = { email: student.email, ...course(1) };
  const older = addOrder(sandbox, student, { courses: [1], status: 'failed', created_at: daysAgo(9) });
  addOrder(sandbox, student, { courses: [1], created_at: daysAgo(8) });
  const alone = factsOf(await call('diagnose_access', question));
  expect(alone.tell).toBe(
    `the API lists it for ${student.email}, and nothing that was read speaks against access; check that they sign in with this email`,
  );
  expect(rows(alone.unpaid)).toMatchObject([{ order: older.id }]);
  const { id } = addOrder(sandbox, student, { bundles: [7], courses: [1], status: 'failed', created_at: daysAgo(1) });
  const answer = await call('diagnose_access', question);
  const title = 'Team Licence: Spreadsheets';
  expect(rows(factsOf(answer).unpaid)[0]).toMatchObject({ order: id, via: title });
  for (const form of [answer.text.split('\n')[0], factsOf(answer).tell])
    expect(form).toContain(`order ${id} (bundle ${title}, `);
});

test('an answer about a holder gives no advice if some of the evidence was not read', async () => {
  const { sandbox, onPath, call } = await startGuarded();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [1] });
  onPath('/products/course/', refusing(403));
  const facts = factsOf(
    await call('diagnose_access', {
      email: student.email,
      product: 'Spreadsheets for Busy People',
      product_type: 'course',
    }),
  );
  expect(facts).toMatchObject({ holds: true, coverage: { complete: false } });
  expect(facts.tell).toBeUndefined();
});

test('of many orders that give access the first and the newest are shown, and the note counts them', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  const ids = [9, 8, 7, 6, 5, 4, 3].map(
    (days) => addOrder(sandbox, student, { courses: [1], created_at: daysAgo(days) }).id,
  );
  const { through, note } = factsOf(await call('diagnose_access', { email: student.email, ...course(1) }));
  expect(rows(through).map(({ order }) => order)).toEqual([ids[0], ...ids.slice(-4)]);
  expect(note).toContain('the first and the last 4 of 7 orders; list_orders with user_email');
});

test('a product that is not published is mentioned whatever the reason, in both forms', async () => {
  const { sandbox, call } = await startAcademy();
  const record = sandbox.academy.catalogue.courses.get(1);
  if (record === undefined) throw new Error('the seed holds course 1');
  record.is_published = false;
  const answer = await call('diagnose_access', { email: newcomer(sandbox).email, ...course(1) });
  const facts = factsOf(answer);
  expect(facts).toMatchObject({ reason: 'never_ordered', product: { is_published: false } });
  expect(facts.note).toContain('not published either: update_product');
  expect(answer.text.split('\n')[0]).toContain('it is not published either');
});

test('the suggested call publishes a held product that is not published', async () => {
  const { sandbox, call } = await startAcademy();
  const { courses, bundles, digitalProducts } = sandbox.academy.catalogue;
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [1, 13], bundles: [1], digital_products: [1] });
  for (const record of [courses.get(1), courses.get(13), bundles.get(1), digitalProducts.get(1)]) {
    if (record === undefined) throw new Error('the seed holds the first of each kind');
    record.is_published = false;
    const question = { email: student.email, product: record.title };
    const facts = factsOf(await call('diagnose_access', question));
    expect(facts, record.title).toMatchObject({ holds: true, reason: 'not_published' });
    expect(await fixed(call, question, facts)).toMatchObject({ holds: true });
    expect(record.is_published).toBe(true);
  }
});

test('access for a number of days ends, counted from the last order, and is granted again', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  const question = { email: student.email, ...course(4) };
  addOrder(sandbox, student, { courses: [4], created_at: daysAgo(300) });
  addOrder(sandbox, student, { courses: [4], created_at: daysAgo(181) });
  const facts = factsOf(await call('diagnose_access', question));
  expect(facts).toMatchObject({ holds: false, reason: 'access_ended' });
  expect(facts.explanation).toContain(`180 days`);
  expect(facts.explanation).toContain(new Date(daysAgo(1)).toISOString().slice(0, 10));
  expect(await fixed(call, question, facts)).toMatchObject({ holds: true });
});

test("a course that an order lists and the student's details do not is reported as not enrolled", async () => {
  const { sandbox, onPath, call } = await startGuarded();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [1] });
  const question = { email: student.email, ...course(1) };
  const none = altering((body) => ({ ...body, enrolled_courses: [] }));
  onPath('/students/details', none, 1);
  const facts = factsOf(await call('diagnose_access', question));
  expect(facts).toMatchObject({ holds: false, reason: 'not_enrolled', through: [{ how: 'bought' }] });
  expect(await fixed(call, question, facts)).toMatchObject({ holds: true });
  // Where the API does not say which courses are theirs, the order alone speaks.
  const mute = altering((body) => without(body, 'enrolled_courses'));
  onPath('/students/details', mute, 1);
  expect(factsOf(await call('diagnose_access', question))).toMatchObject({ holds: true });
});

test('the suggested call for an unknown email asks for a name; an unknown product is not found', async () => {
  const { call } = await startAcademy();
  const question = { email: 'nobody@example.com', ...course(1) };
  const facts = factsOf(await call('diagnose_access', question));
  expect(facts).toMatchObject({ holds: false, reason: 'no_student' });
  expect(facts.note).toContain('name');
  expect(row(facts.fix).first, 'a misspelled email comes before a new student').toContain('check the spelling');
  const file = factsOf(await call('diagnose_access', { ...question, product: '2', product_type: 'digital_product' }));
  expect(file.fix).toEqual({ first: expect.stringContaining('spelling') });
  expect(await fixed(call, question, facts, { name: 'No Body' })).toMatchObject({ holds: true });
  expectRefusal(await call('diagnose_access', { ...question, product: 'no such thing' }), 'not_found');
});

test('a digital product that is not held has no suggested call, and the note says why', async () => {
  const { sandbox, call } = await startAcademy();
  const question = { email: newcomer(sandbox).email, product: '2', product_type: 'digital_product' };
  const { reason, fix, note } = factsOf(await call('diagnose_access', question));
  expect([reason, fix]).toEqual(['never_ordered', undefined]);
  expect(note).toContain('grant a bundle that holds it');
});

test('the note explains paying_student false for every cause', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [1], amount: '0.00' });
  const question = { email: student.email, ...course(1) };
  expect(factsOf(await call('diagnose_access', question)).note).toBeUndefined();
  student.paying_student = false;
  const { paying_student, note } = factsOf(await call('diagnose_access', question));
  expect(paying_student).toBe(false);
  expect(note).toContain('paying_student false, as it does for a student who never paid and after unenroll_student');
});

// Course 7 is "Data Analysis with SQL"; bundle 1, "Data Path", holds it, bundle 3, "Creative Year", does not.
const revokeSeven: Row = { tool: 'revoke_course', name: 'x', course_id: 7 };
const ofSeven: Partial<NewOrder> = { courses: [7], description: 'Data Analysis with SQL' };
const ofDataPath: Partial<NewOrder> = { courses: [1, 7, 9], bundles: [1], description: 'Data Path' };
const ofCreativeYear: Partial<NewOrder> = { courses: [5, 6, 8], bundles: [3], description: 'Creative Year' };
const ofBread: Partial<NewOrder> = { courses: [8], description: 'Bread at Home' };

const cases: [what: string, order: Partial<NewOrder>, revoke: Row, expected: string, says: string][] = [
  ['it alone', ofSeven, revokeSeven, 'revoked', 'names the product'],
  ['it out of its bundle', ofDataPath, revokeSeven, 'revoked', 'is for bundle 1, which contains it,'],
  ['its bundle', ofDataPath, { tool: 'revoke_bundle', bundle_id: 1 }, 'revoked', 'is for bundle 1, which contains it,'],
  ['another course', ofBread, { ...revokeSeven, course_id: 8 }, 'unclear', 'it may have been taken off one'],
  [
    'a course of another bundle',
    ofCreativeYear,
    { ...revokeSeven, course_id: 8 },
    'never_ordered',
    'the API shows no paid order of this student that lists it',
  ],
  [
    'another bundle',
    ofCreativeYear,
    { tool: 'revoke_bundle', bundle_id: 3 },
    'unclear',
    'it may have been taken off one',
  ],
];

test.for(cases)(
  'after %s was revoked, the reason and its evidence are shown',
  async ([, order, { tool, ...args }, expected, says]) => {
    const { sandbox, call } = await startAcademy();
    const student = newcomer(sandbox);
    const { email } = student;
    const other = newcomer(sandbox, 'ola.newcomer@example.com');
    for (const age of [1, 2, 3]) {
      for (const bundle of [ofDataPath, ofCreativeYear])
        addOrder(sandbox, other, { ...bundle, created_at: daysAgo(age) });
    }
    addOrder(sandbox, student, order);
    expect((await call(String(tool), { email, ...args, confirm: true })).isError).toBe(false);
    const question = { email, product: '7', product_type: 'course' };
    const answer = await call('diagnose_access', question);
    expect(answer.structured, answer.text).toMatchObject({ reason: expected });
    expect(answer.structured?.holds).toBe(expected === 'unclear' ? undefined : false);
    expect(answer.structured?.explanation).toContain(says);
    expect(answer.text.split(says)).toHaveLength(2);
    expect(requestsOf(answer)).toBeLessThanOrEqual(7);
    const { fix } = answer.structured ?? {};
    expect((await call(String(row(fix).tool), row(row(fix).arguments))).isError).toBe(false);
    expect((await call('diagnose_access', question)).structured).toMatchObject({ holds: true });
  },
);

test('the contents of an old bundle are read from orders of its time, however many followed', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  const other = newcomer(sandbox, 'ola.newcomer@example.com');
  addOrder(sandbox, student, { ...ofDataPath, created_at: daysAgo(300) });
  for (const age of [295, 290, 285]) {
    addOrder(sandbox, other, { ...ofDataPath, status: 'wallet_executed', created_at: daysAgo(age) });
  }
  for (let index = 0; index < 110; index += 1) addOrder(sandbox, other, ofBread);
  const { email } = student;
  expect((await call('revoke_course', { email, name: 'x', course_id: 7, confirm: true })).isError).toBe(false);
  const { structured, text } = await call('diagnose_access', { email, product: '7', product_type: 'course' });
  expect(structured, text).toMatchObject({ holds: false, reason: 'revoked' });
});

test('after a grant was taken back, the failed payment before it is the reason, and unpaid_orders names the order', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  const { email } = student;
  const failed = addOrder(sandbox, student, { ...ofSeven, amount: '49.00', status: 'failed', created_at: daysAgo(2) });
  const asked = { email, product: '7', product_type: 'course' };
  const before = await call('diagnose_access', asked);
  expect(before.structured).toMatchObject({ reason: 'order_failed', unpaid: [{ order: failed.id }] });
  expect((await call('enroll_student', { email, course_id: 7 })).isError).toBe(false);
  expect((await call('revoke_course', { email, course_id: 7, confirm: true })).isError).toBe(false);
  const after = await call('diagnose_access', asked);
  expect(after.structured, after.text).toMatchObject({ reason: 'order_failed', unpaid: [{ order: failed.id }] });
  expect(after.structured?.explanation).toContain('a free grant was taken back since');
  expect(row(after.structured?.fix).first).toContain('ask the student to pay again');
  const unpaid = await call('unpaid_orders', { period: 'last_7_days' });
  for (const form of [unpaid.text, unpaid.structured?.note]) expect(form).toContain(`${failed.id} (${email})`);
});
