import { expect, test } from 'vitest';
import { row, rows } from '../../support/academy.ts';
import { addOrder, daysAgo, newcomer } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { requestsOf } from '../../support/refusal.ts';

// How far the orders of one student are looked for, and what is said of it.

test('many orders cost at most max_requests, and the answer says that some are missing', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  for (let index = 0; index < 450; index += 1) {
    const status = index % 2 === 0 ? 'paid' : 'failed';
    addOrder(sandbox, student, { courses: [1 + (index % 9)], status, created_at: daysAgo(1 + index / 10) });
  }
  for (const max_requests of [1, 2, 3, 7, 10]) {
    const answer = await call('student_profile', { email: student.email, max_requests });
    expect(answer.text).toMatch(/^Incomplete/);
    expect(requestsOf(answer)).toBeLessThanOrEqual(max_requests);
    const coverage = row(answer.structured?.coverage);
    expect(coverage).toMatchObject({ complete: false, requests_spent: requestsOf(answer) });
    expect('orders_missing' in coverage, `${max_requests}`).toBe(max_requests < 7);
    expect(coverage.next).toContain('max_requests');
    // A missing order may be the first one.
    expect(rows(answer.structured?.holds ?? []).some((held) => 'since' in held)).toBe(max_requests >= 7);
  }
  const whole = await call('student_profile', { email: student.email, max_requests: 30 });
  expect(row(whole.structured?.coverage)).toMatchObject({ complete: true, requests_spent: 25 });
  expect(row(whole.structured?.totals)).toMatchObject({ bought: 225, unpaid: 225 });
  expect(rows(whole.structured?.holds)).toHaveLength(9);
  for (const list of [whole.structured?.bought, whole.structured?.unpaid]) expect(rows(list)).toHaveLength(5);
  for (const form of [whole.text, whole.structured?.note])
    expect(form).toContain('the newest 5 of each list; list_orders with user_email and status all has every order');
});

test('the answer names the spellings of the email under which it searched unpaid orders', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox, 'Ina.Newcomer@Example.com');
  addOrder(sandbox, student, { user_email: 'INA.newcomer@example.com', courses: [5] });
  addOrder(sandbox, student, { user_email: 'INA.NEWCOMER@EXAMPLE.COM', courses: [7], status: 'pending' });
  const { email } = student;
  const spellings = `${email}, ina.newcomer@example.com, INA.newcomer@example.com`;
  const profile = await call('student_profile', { email });
  expect(row(profile.structured?.coverage).unpaid_looked_for_under).toBe(spellings);
  const question = { email, product: '7', product_type: 'course' };
  const unseen = await call('diagnose_access', question);
  expect(unseen.structured).toMatchObject({ reason: 'never_ordered' });
  expect(unseen.structured?.note).toContain(`searched under ${spellings}`);
  // Asked as the buyer typed it, the order is found.
  const seen = await call('diagnose_access', { ...question, email: 'INA.NEWCOMER@EXAMPLE.COM' });
  expect(seen.structured).toMatchObject({ reason: 'order_pending' });
});

test('one order uses the singular', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [1] });
  const { text } = await call('student_profile', { email: student.email });
  expect(text).toMatch(/^Ina Newcomer: 1 product held, 1 order bought/);
});
