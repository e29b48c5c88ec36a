import { expect, test } from 'vitest';
import type { NewOrder } from '../../../src/sandbox/state/orders.ts';
import { type Row, row } from '../../support/academy.ts';
import { addOrder, daysAgo, newcomer } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { requestsOf } from '../../support/refusal.ts';

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
    expect(answer.structured, answer.text).toMatchObject({ holds: false, reason: expected });
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
