import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { type Row, row, rows, the } from '../../support/academy.ts';
import { daysAgo, down } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';
import { buyers, type Count, counted, rawOrders } from '../../support/sales.ts';
import { trueCompletion } from '../../support/truth.ts';

interface Truth {
  email: string;
  percent: number;
  /** When they first bought it, in the period. */
  since: number;
}

async function truthsOf(sandbox: Sandbox, course: number, question: Partial<Count> = {}) {
  const count = { to: Date.now(), list: 'courses', id: course, ...question } as const;
  const { kept, granted } = counted(await rawOrders(sandbox), count);
  const found: Truth[] = [];
  for (const email of buyers(kept)) {
    const own = kept.filter(({ user_email }) => user_email.toLowerCase() === email);
    const since = Math.min(...own.map(({ created_at }) => Date.parse(created_at)));
    found.push({ email, since, percent: await trueCompletion(sandbox, course, email) });
  }
  return { found, granted };
}

const emailsOf = (list: unknown) => rows(list ?? []).map(({ email }) => String(email).toLowerCase());

/** Holds an answer that is whole to a count one by one. */
function expectSpread(answer: Row, found: readonly Truth[], stuckAfterDays = 30): void {
  const finished = found.filter(({ percent }) => percent === 100);
  const stuck = found.filter(({ percent, since }) => percent < 100 && since <= daysAgo(stuckAfterDays));
  const sum = found.reduce((total, { percent }) => total + percent, 0);
  expect(answer.totals).toMatchObject({
    buyers: found.length,
    average_percent: Math.round(sum / found.length),
    not_started: found.filter(({ percent }) => percent === 0).length,
    stuck: stuck.length,
    finished: finished.length,
  });
  expect(emailsOf(answer.finished).sort()).toEqual(finished.map(({ email }) => email).sort());
  const expected = stuck.sort((one, other) => one.percent - other.percent || one.since - other.since);
  expect(emailsOf(answer.stuck)).toEqual(expected.map(({ email }) => email));
  expect(rows(answer.stuck ?? []).map(({ percent }) => percent)).toEqual(expected.map(({ percent }) => percent));
  expect(row(answer.coverage)).toMatchObject({ complete: true, students_read: found.length });
}

function between(found: readonly Truth[], from: number, to: number): number {
  return found.filter(({ percent }) => percent >= from && percent <= to).length;
}

test('average, bands, stuck and finished match a count by hand', async () => {
  const { sandbox, call } = await startAcademy({ students: 60, orders: 400 });
  const { found, granted } = await truthsOf(sandbox, 1);
  const { structured = {}, text } = await call('course_progress', { course_id: 1, limit: 100 });
  expectSpread(structured, found);
  expect(row(structured.totals).granted_excluded).toBe(granted);
  expect(structured.bands).toEqual({
    '0%': between(found, 0, 0),
    '1-24%': between(found, 1, 24),
    '25-49%': between(found, 25, 49),
    '50-74%': between(found, 50, 74),
    '75-99%': between(found, 75, 99),
    '100%': between(found, 100, 100),
  });
  expect(text).toContain(`${found.length} of ${found.length} buyers read`);
});

test('bands, period, include_granted and stuck_after_days are applied', async () => {
  const { sandbox, call } = await startAcademy({ students: 60, orders: 400 });
  const after = new Date(daysAgo(200)).toISOString();
  const { found } = await truthsOf(sandbox, 7, { from: Date.parse(after), withGranted: true });
  const asked = { course_id: 7, created_after: after, include_granted: true, bands: [60, 30], stuck_after_days: 90 };
  const { structured = {} } = await call('course_progress', asked);
  expectSpread(structured, found, 90);
  const bands = {
    '0-29%': between(found, 0, 29),
    '30-59%': between(found, 30, 59),
    '60-100%': between(found, 60, 100),
  };
  expect(structured.bands).toEqual(bands);
  expect(structured.stuck_means).toBe('below 100% and bought 90 days or more ago');
});

const isCompletion = (path: string) => path.endsWith('/completion-percentage');

test('a cost above max_requests is stated first; the cursor continues, and reads no student twice', async () => {
  const { sandbox, between: log, call } = await startGuarded();
  const { found } = await truthsOf(sandbox, 1);
  const asked = () => log.log.filter(({ path }) => isCompletion(path)).length;
  const first = await call('course_progress', { course_id: 1, max_requests: 10 });
  expect(first.text).toMatch(/^Incomplete/);
  expect(asked()).toBe(0);
  expect(row(first.structured?.cost).requests).toBe(found.length);
  expect(Object.keys(row(first.structured?.totals))).toEqual(['buyers', 'granted_excluded']);
  expect(first.structured?.bands).toBeUndefined();
  expect(row(first.structured?.coverage)).toMatchObject({ students_read: 0, students_left: found.length });
  let answer = first;
  for (let parts = 0; answer.structured?.next_cursor !== undefined; parts += 1) {
    expect(parts).toBeLessThan(found.length);
    const { next_cursor: cursor } = answer.structured;
    answer = await call('course_progress', { course_id: 1, max_requests: 7, cursor });
    expect(Number(requestsOf(answer))).toBeLessThanOrEqual(7);
    expect(Number(requestsOf(answer))).toBeGreaterThan(0);
  }
  expect(asked()).toBe(found.length);
  expectSpread(answer.structured ?? {}, found);
});

test('if orders exhaust the budget, no student is read before all orders are', async () => {
  const { sandbox, between: log, call } = await startGuarded();
  const first = await call('course_progress', { course_id: 1, max_requests: 2 });
  expect(row(first.structured?.coverage)).toMatchObject({ complete: false, requests_spent: 2 });
  expect(log.log.some(({ path }) => isCompletion(path))).toBe(false);
  const cursor = first.structured?.next_cursor;
  const whole = await call('course_progress', { course_id: 1, max_requests: 100, cursor });
  expectSpread(whole.structured ?? {}, (await truthsOf(sandbox, 1)).found);
});

test('if the API fails midway, the results so far are kept and the next part reads only the others', async () => {
  const { sandbox, between: log, call } = await startGuarded();
  const { found } = await truthsOf(sandbox, 1);
  const second = the(found, 'second buyer', ({ email }) => email === found[1]?.email);
  const isSecond = (_method: string, path: string, body: string) =>
    isCompletion(path) && body.toLowerCase().includes(second.email);
  const fault = log.arm({ name: 'down', fault: down, times: 99, match: isSecond });
  const part = await call('course_progress', { course_id: 1 });
  expect(part.text).toMatch(/^Incomplete/);
  expect(row(part.structured?.coverage).stopped).toMatch(/^api_unavailable/);
  fault.disarm();
  const whole = await call('course_progress', { course_id: 1, cursor: part.structured?.next_cursor });
  expectSpread(whole.structured ?? {}, found);
  expect(log.log.filter(({ path, status }) => isCompletion(path) && status === 200)).toHaveLength(found.length);
});

test('an unknown course is not found, and a cursor of another course is refused', async () => {
  const { call } = await startAcademy();
  expectRefusal(await call('course_progress', { course_id: 4711 }), 'not_found');
  const { structured } = await call('course_progress', { course_id: 1, max_requests: 6 });
  const cursor = structured?.next_cursor;
  expect(cursor).toBeTypeOf('string');
  expectRefusal(await call('course_progress', { course_id: 2, cursor }), 'invalid_input');
});
