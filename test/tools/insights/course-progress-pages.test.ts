import { expect, test } from 'vitest';
import { type Row, row, rows } from '../../support/academy.ts';
import { startAcademy } from '../../support/connect.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';

const emailsOf = (list: unknown) => rows(list ?? []).map(({ email }) => email);
const question = { course_id: 7, max_requests: 200 };

async function startBusyAcademy() {
  return await startAcademy({ students: 60, orders: 900 });
}

test('the cursor returns each row beyond the limit once, and reads nothing again', async () => {
  const { call } = await startBusyAcademy();
  const whole = await call('course_progress', { ...question, limit: 500 });
  expect(whole.structured?.shown).toBeUndefined();
  expect(whole.structured?.next_cursor).toBeUndefined();
  const { not_started, stuck, finished } = row(whole.structured?.totals);
  let answer = await call('course_progress', { ...question, limit: 3 });
  expect(answer.text).toContain(
    `Shown: not_started 1 to 3 of ${not_started}, stuck 1 to 3 of ${stuck}, finished 1 to 3 of ${finished}; next_cursor shows more.`,
  );
  const shown = { stuck: emailsOf(answer.structured?.stuck), finished: emailsOf(answer.structured?.finished) };
  while (answer.structured?.next_cursor !== undefined) {
    const { next_cursor: cursor } = answer.structured;
    answer = await call('course_progress', { ...question, limit: 4, cursor });
    expect(requestsOf(answer)).toBe(0);
    expect(answer.structured?.totals).toEqual(whole.structured?.totals);
    shown.stuck.push(...emailsOf(answer.structured?.stuck));
    shown.finished.push(...emailsOf(answer.structured?.finished));
    expect(shown.stuck.length).toBeLessThanOrEqual(Number(stuck));
  }
  expect(shown.stuck).toEqual(emailsOf(whole.structured?.stuck));
  expect(shown.finished).toEqual(emailsOf(whole.structured?.finished));
  expect(Number(stuck)).toBeGreaterThan(7);
});

test('a single row uses the singular, and the body does not repeat the first line', async () => {
  const { call } = await startBusyAcademy();
  const { structured = {}, text } = await call('course_progress', { ...question, limit: 1, stuck_after_days: 1 });
  const { not_started, stuck, finished } = row(structured.totals);
  const shown = `not_started row 1 of ${not_started}, stuck row 1 of ${stuck}, finished row 1 of ${finished}`;
  expect(structured.shown).toBe(shown);
  expect(text.split(shown)).toHaveLength(2);
  expect(text).toMatch(new RegExp(`, ${stuck} stuck \\(\\d+ of them not started\\)`));
  expect(structured.stuck_means).toBe('below 100%, 0% too, and held since 1 day ago or earlier');
  const buyers = await call('find_buyers', { product: '7', product_type: 'course', limit: 1 });
  expect(buyers.text).toContain(' Shown: 1.');
});

test('a cursor is refused with another stuck_after_days', async () => {
  const { call } = await startBusyAcademy();
  const { structured } = await call('course_progress', { ...question, limit: 3 });
  const other = { ...question, stuck_after_days: 5, cursor: structured?.next_cursor };
  expectRefusal(await call('course_progress', other), 'invalid_input');
});

test('while pages of orders are unread the cost is a minimum, and says so', async () => {
  const { call } = await startBusyAcademy();
  let answer = await call('course_progress', { course_id: 7, max_requests: 1 });
  let spent = 0;
  const costs: Row[] = [];
  while (answer.structured?.next_cursor !== undefined) {
    costs.push({ ...row(answer.structured.cost), spent });
    if (row(answer.structured.cost).at_least === true) expect(answer.text).toMatch(/Left: at least \d+ requests?/);
    else expect(answer.text).toMatch(/Left: \d+ requests?/);
    answer = await call('course_progress', { course_id: 7, max_requests: 4, cursor: answer.structured.next_cursor });
    spent += Number(requestsOf(answer));
  }
  const pages = Number(row(answer.structured?.coverage).pages_read);
  expect(costs.filter(({ at_least }) => at_least === true).length).toBeGreaterThan(1);
  for (const cost of costs) {
    const left = spent - Number(cost.spent);
    if (cost.at_least === true) expect(Number(cost.requests)).toBeLessThanOrEqual(left);
    else expect(cost.requests).toBe(left);
    expect(cost.at_least === true, JSON.stringify(cost)).toBe(Number(cost.spent) < pages);
  }
});
