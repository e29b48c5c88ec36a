import { expect, test } from 'vitest';
import { at, row, rows } from '../../support/academy.ts';
import { addOrder, daysAgo } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { requestsOf } from '../../support/refusal.ts';

/** All bought course 7 in this week. Ana bought course 8 long ago, Ben was granted it, Cyd failed to pay for it, Dan has course 7 alone. */
async function startWithHolders() {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const students = sandbox.academy.students.all();
  const [ana, ben, cyd, dan] = [at(students, 1), at(students, 2), at(students, 3), at(students, 4)];
  for (const [index, student] of [ana, ben, cyd, dan].entries()) {
    addOrder(sandbox, student, { courses: [7], created_at: daysAgo(1 + index) });
  }
  addOrder(sandbox, ana, { courses: [8], created_at: daysAgo(400) });
  addOrder(sandbox, ben, { courses: [8], amount: '0', created_at: daysAgo(300) });
  addOrder(sandbox, cyd, { courses: [8], status: 'failed', created_at: daysAgo(2) });
  return { call, people: { ana, ben, cyd, dan } };
}

const question = { product: '7', product_type: 'course', without: ['8'] };
const emailsOf = (list: unknown) => rows(list ?? []).map(({ email }) => email);

test('without leaves out those who hold the product, also by an order outside the period or a grant, and names those who failed to pay for it', async () => {
  const { call, people } = await startWithHolders();
  const lacking = [people.cyd.email, people.dan.email];
  const whole = await call('find_buyers', question);
  expect(emailsOf(whole.structured?.buyers)).toEqual(lacking);
  const week = await call('find_buyers', { ...question, period: 'last_7_days' });
  expect(emailsOf(week.structured?.buyers)).toEqual(lacking);
  expect(week.structured).toMatchObject({ totals: { buyers: 2, orders: 2 }, coverage: { complete: true } });
  expect(week.structured?.note).toContain('without: all orders of 4 buyers were checked, also outside the period');
  expect(week.text).toContain('all orders of 4 buyers were checked');
});

test('the statuses of a question do not change who holds the other product', async () => {
  const { call, people } = await startWithHolders();
  const { structured } = await call('find_buyers', { ...question, product: '8', without: ['7'], statuses: ['failed'] });
  expect(structured?.buyers).toBeUndefined();
  const both = await call('find_buyers', { ...question, statuses: ['paid', 'failed', 'wallet_executed'] });
  expect(emailsOf(both.structured?.buyers)).toEqual([people.cyd.email, people.dan.email]);
});

test('buyers whom max_requests left unchecked are marked, and next_cursor checks them', async () => {
  const { call, people } = await startWithHolders();
  const asked = { ...question, period: 'last_7_days' };
  const whole = await call('find_buyers', asked);
  const most = Number(requestsOf(whole)) - 1;
  const first = await call('find_buyers', { ...asked, max_requests: most });
  expect(Number(requestsOf(first))).toBeLessThanOrEqual(most);
  expect(row(first.structured?.coverage)).toMatchObject({ complete: false, unchecked: 1, students_left: 1 });
  expect(first.text).toMatch(/^Incomplete/);
  expect(first.text).toContain('| unchecked');
  expect(first.structured?.note).toContain('unchecked: 1 buyer may hold it by an order outside the period');
  expect(rows(first.structured?.buyers).filter(({ unchecked }) => unchecked === true)).toHaveLength(1);
  const second = await call('find_buyers', { ...asked, cursor: first.structured?.next_cursor });
  expect(emailsOf(second.structured?.buyers)).toEqual([people.cyd.email, people.dan.email]);
  expect(second.structured).toMatchObject({ coverage: { complete: true } });
  expect(second.structured?.note).toContain('this answer replaces the one before');
  expect(Number(requestsOf(second))).toBeLessThanOrEqual(2);
});
