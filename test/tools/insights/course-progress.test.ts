import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { type Row, row, rows, the } from '../../support/academy.ts';
import { daysAgo, down } from '../../support/arrange.ts';
import { connectToApi, startAcademy } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';
import { orderNumber } from '../../support/paging-server.ts';
import type { Recorded, Reply } from '../../support/recorder.ts';
import { requestsOf } from '../../support/refusal.ts';
import { buyers, type Count, counted, rawOrders } from '../../support/sales.ts';
import { everyPart, trueCompletion } from '../../support/truth.ts';

interface Truth {
  email: string;
  percent: number;
  /** When they first got it, in the period. */
  since: number;
}

async function truthsOf(sandbox: Sandbox, course: number, question: Partial<Count> = {}) {
  const count = { to: Date.now(), list: 'courses', id: course, ...question } as const;
  const raw = await rawOrders(sandbox);
  const { kept, granted } = counted(raw, count);
  const { kept: held } = counted(raw, { ...count, withGranted: true });
  const found: Truth[] = [];
  for (const email of buyers(kept)) {
    const own = held.filter(({ user_email }) => user_email.toLowerCase() === email);
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
  const none = found.filter(({ percent }) => percent === 0).sort((one, other) => one.since - other.since);
  expect(emailsOf(answer.not_started)).toEqual(none.map(({ email }) => email));
  expect(row(answer.coverage)).toMatchObject({ complete: true, students_read: found.length });
}

function between(found: readonly Truth[], from: number, to: number): number {
  return found.filter(({ percent }) => percent >= from && percent <= to).length;
}

test('a running period is marked, and with granted orders holders and buyers are counted separately', async () => {
  const { call } = await startAcademy({ students: 60, orders: 300 });
  const running = await call('course_progress', { course_id: 1, period: 'this_year', include_granted: true });
  expect(row(running.structured?.period).running).toBe(true);
  expect(running.text.split('\n')[0]).toContain(', still running');
  const { holders, buyers } = row(running.structured?.totals);
  expect(Number(holders)).toBeGreaterThan(Number(buyers));
  expect(running.text).toContain(` of ${holders} holders`);
  const past = await call('course_progress', { course_id: 1, period: 'last_year' });
  expect(row(past.structured?.period).running).toBeUndefined();
  expect(row(past.structured?.totals).holders).toBeUndefined();
  expect(past.text).not.toContain('still running');
});

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
  expect(structured.stuck_means).toBe('below 100%, 0% too, and held since 90 days ago or earlier');
});

const isCompletion = (path: string) => path.endsWith('/completion-percentage');

test('the first part reads as many students as max_requests allows, and the cursor reads each other one once', async () => {
  const { sandbox, between: log, call } = await startGuarded();
  const { found } = await truthsOf(sandbox, 1);
  const asked = () => log.log.filter(({ path }) => isCompletion(path)).length;
  const first = await call('course_progress', { course_id: 1, max_requests: 10 });
  expect(first.text).toMatch(/^Incomplete \(\d+ students not checked; max_requests is used up: /);
  expect(requestsOf(first)).toBe(10);
  const read = asked();
  expect(read).toBeGreaterThan(0);
  expect(row(first.structured?.cost).requests).toBe(found.length - read);
  expect(row(first.structured?.totals)).toMatchObject({ buyers: found.length });
  const bands = Object.values(row(first.structured?.bands)).map(Number);
  expect(bands.reduce((sum, one) => sum + one, 0)).toBe(read);
  expect(row(first.structured?.coverage)).toMatchObject({ students_read: read, students_left: found.length - read });
  const next = { course_id: 1, max_requests: 7, cursor: first.structured?.next_cursor };
  const parts = await everyPart(call, 'course_progress', next);
  for (const part of parts) {
    expect(Number(requestsOf(part))).toBeLessThanOrEqual(7);
    expect(Number(requestsOf(part))).toBeGreaterThan(0);
  }
  expect(asked()).toBe(found.length);
  expectSpread(parts.at(-1)?.structured ?? {}, found);
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

test('a course without buyers says why nothing is shown', async () => {
  const { sandbox, call } = await startAcademy({ orders: 40 });
  const draft = sandbox.academy.catalogue.courses.all().find(({ is_published }) => !is_published);
  const { structured, text } = await call('course_progress', { course_id: draft?.id });
  for (const form of [structured?.note, text])
    expect(form).toMatch(/nothing found: none of the \d+ orders of status paid/);
  expect(row(structured?.totals)).not.toHaveProperty('average_percent');
  const some = await call('course_progress', { course_id: 5 });
  expect(some.structured?.note).toBeUndefined();
});

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
  const parts = await everyPart(call, 'course_progress', { ...question, limit: 3 }, { ...question, limit: 4 });
  expect(parts[0]?.text).toContain(
    `Shown: not_started 1 to 3 of ${not_started}, stuck 1 to 3 of ${stuck}, finished 1 to 3 of ${finished}; next_cursor shows more.`,
  );
  for (const part of parts.slice(1)) {
    expect(requestsOf(part)).toBe(0);
    expect(part.structured?.totals).toEqual(whole.structured?.totals);
  }
  for (const list of ['stuck', 'finished']) {
    const shown = parts.flatMap(({ structured = {} }) => emailsOf(structured[list]));
    expect(shown).toEqual(emailsOf(whole.structured?.[list]));
  }
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

const bought = new Date(daysAgo(60)).toISOString();
const html = { headers: { 'content-type': 'text/html' }, body: '<html></html>' };

const orderOf = (user_email: string, number: number, more: Row = {}): Row => ({
  ...orderNumber(number),
  ...{ user_email, user_name: user_email, created_at: bought },
  ...more,
});

function isReply(answer: unknown): answer is Reply {
  return typeof answer === 'object' && answer !== null && ('status' in answer || 'headers' in answer);
}

/** Those of the orders that a request asks for. */
function ordersFor({ query }: Recorded, orders: readonly Row[]): Row[] {
  const asked = new Map(query.filter(([name, value]) => name !== 'status' || value !== 'all'));
  const from = Date.parse(asked.get('created_after') ?? '2000-01-01');
  const to = Date.parse(asked.get('created_before') ?? '2999-01-01');
  return orders.filter((order) => {
    const at = Date.parse(String(order.created_at));
    const isOther = (['user_email', 'status'] as const).some(
      (name) => (asked.get(name) ?? order[name]) !== order[name],
    );
    // What has no readable time is listed in every period.
    return !isOther && !(at < from || at > to);
  });
}

/** An academy with an order of course 7 for each answer to the question for progress, and these further orders. */
async function startWith(answers: Record<string, unknown>, more: readonly Row[] = []) {
  const orders = [...Object.keys(answers).map((name, index) => orderOf(`${name}@example.com`, index)), ...more];
  return await connectToApi((request) => {
    const { path, body, query } = request;
    if (path.endsWith('/orders')) {
      const own = ordersFor(request, orders);
      return {
        body: { orders: own, meta: { total_pages: 1, total_orders: own.length, current_page: 1, per_page: 100 } },
      };
    }
    if (path.endsWith('/details'))
      return { body: { id: 1, name: 'One', email: query[0]?.[1], enrolled_courses: [{ id: 7 }] } };
    if (!path.endsWith('/completion-percentage')) {
      const id = Number(path.split('/').at(-1));
      return {
        body: path.includes('/products/') ? { product: { id, attributes: {} } } : { id, title: `Course ${id}` },
      };
    }
    const name = String(row(body).user_email).split('@')[0] ?? '';
    const answer = answers[name];
    return isReply(answer)
      ? answer
      : { body: { id: 1, email: `${name}@example.com`, course_completion_percent: answer } };
  });
}

test('held_since is the day of the first order, granted or bought, and no day if earlier orders were not read', async () => {
  const old = daysAgo(400);
  const email = 'ina@example.com';
  const gift = orderOf(email, 1, { amount: '0.00', created_at: new Date(old).toISOString() });
  const { call } = await startWith({ ina: 100 }, [gift]);
  const month = { course_id: 7, created_after: new Date(daysAgo(70)).toISOString() };
  const heldIn = ({ structured = {} }: { structured?: Row | undefined }) =>
    rows(structured.finished).map(({ held_since }) => held_since);
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  const alone = await call('course_progress', month);
  expect(heldIn(alone)).toEqual(['in or before this period']);
  for (const said of ['earlier orders were not all read', 'the API has no finishing dates']) {
    expect(alone.text).toContain(said);
    expect(JSON.stringify(alone.structured)).toContain(said);
  }
  const whole = await call('course_progress', { course_id: 7 });
  expect(heldIn(whole)).toEqual([dayOf(old)]);
  expect(whole.text).not.toContain('before this period');
  const after = await call('course_progress', month);
  expect(heldIn(after), 'the same question has the same answer, whatever other calls have read').toEqual(heldIn(alone));
});

const namesOf = (list: unknown) => rows(list ?? []).map(({ email }) => String(email).split('@')[0]);

test('percentages are read from 54, 54.6, "54" and "54%", and from nothing else', async () => {
  const { call } = await startWith({ a: 54, b: 54.6, c: '20', d: '80%', e: 120, f: -1, g: null, h: { percent: 5 } });
  const { structured = {}, text } = await call('course_progress', { course_id: 7 });
  expect(rows(structured.stuck).map(({ email, percent }) => [String(email)[0], percent])).toEqual([
    ['c', 20],
    ['a', 54],
    ['b', 54.6],
    ['d', 80],
  ]);
  expect(row(structured.totals)).toMatchObject({ buyers: 8, unknown: 4, average_percent: 52 });
  expect(row(structured.coverage)).toMatchObject({ complete: false, unreadable: { percentages: 4 }, students_read: 4 });
  expect(text).toMatch(/^Incomplete \(4 percentages could not be read\): /);
});

test('unreadable values of orders are counted beside the percentages', async () => {
  const undated = { ...orderOf('z@example.com', 9), created_at: 'soon' };
  const silent = await startWith({ a: 54, b: null }, [undated]);
  const asked = { course_id: 7, created_after: bought.slice(0, 10) };
  const both = await silent.call('course_progress', asked);
  const unreadable = { dates: 1, percentages: 1 };
  expect(row(both.structured?.coverage), both.text).toMatchObject({ complete: false, unreadable });
  expect(both.text).toMatch(/^Incomplete \(1 date and 1 percentage could not be read\): /);
  const { call } = await startWith({ a: 54 }, [undated]);
  const dates = await call('course_progress', asked);
  expect(row(dates.structured?.coverage)).toMatchObject({ complete: false, unreadable: { dates: 1 } });
});

test('without any percentage there is no average', async () => {
  const { call } = await startWith({ a: null });
  const { totals } = row((await call('course_progress', { course_id: 7 })).structured);
  expect(totals).toMatchObject({ unknown: 1 });
  expect(totals).not.toHaveProperty('average_percent');
});

test('99.6 is not finished, for one student and on average', async () => {
  const { call } = await startWith({ a: 99.6, b: 100 });
  const { structured = {} } = await call('course_progress', { course_id: 7 });
  expect(namesOf(structured.finished)).toEqual(['b']);
  expect(rows(structured.stuck)).toMatchObject([{ percent: 99.6 }]);
  expect(row(structured.totals).average_percent).toBe(99);
  expect(row(structured.coverage).complete).toBe(true);
});

test('if other values are fractions, the value 1 is not read as one percent', async () => {
  const { call } = await startWith({ a: 0.54, b: 1, c: 0 });
  const { structured = {} } = await call('course_progress', { course_id: 7 });
  expect(namesOf(structured.stuck)).toEqual(['c']);
  expect(row(structured.coverage)).toMatchObject({ complete: false, unreadable: { percentages: 2 } });
});

const said = { error: 'Not here', errors: [{ code: 'not_enrolled', message: 'Student is not enrolled' }] };

test.each([
  ['403', { status: 403, body: said }],
  ['422', { status: 422, body: said }],
  ['404 of another code', { status: 404, body: said }],
  ['404 not found', { status: 404, body: { error: 'none', errors: [{ code: 'not_found', message: 'none' }] } }],
  ['web page', html],
])(
  'a student whose progress is refused with a %s is counted and named, and the others are answered',
  async (_name, refusal) => {
    const { call } = await startWith({ a: 100, b: refusal, c: 1 });
    const { isError, structured = {}, text } = await call('course_progress', { course_id: 7 });
    expect(isError, text).toBe(false);
    expect(namesOf(structured.finished)).toEqual(['a']);
    expect(rows(structured.stuck)).toMatchObject([{ email: 'c@example.com', percent: 1 }]);
    expect(row(structured.coverage)).toMatchObject({ complete: false, unreadable: { percentages: 1 } });
    expect(row(structured.coverage).without_percent).toMatch(/^b@example\.com \(/);
    expect(text).toMatch(/^Incomplete \(1 percentage could not be read\): /);
    expect(structured.next_cursor).toBeUndefined();
  },
);

test('student_profile and diagnose_access return the rest if the progress is refused', async () => {
  const { call } = await startWith({ a: { status: 403, body: said } });
  const profile = await call('student_profile', { email: 'a@example.com' });
  expect(rows(profile.structured?.holds)).toMatchObject([{ product: 'course 7' }]);
  expect(row(profile.structured?.coverage)).toMatchObject({ complete: false, unreadable: { percentages: 1 } });
  expect(row(profile.structured?.coverage).without_percent).toMatch(/^course 7 \(forbidden: /);
  expect(profile.text).toMatch(/^Incomplete \(1 percentage could not be read\): /);
  const asked = { email: 'a@example.com', product: '8', product_type: 'course' };
  const access = await call('diagnose_access', asked);
  expect(access.isError, access.text).toBe(false);
  expect(access.structured?.holds).toBe(false);
  expect(row(access.structured?.coverage)).toMatchObject({ complete: false, unreadable: { percentages: 1 } });
  expect(access.text).toMatch(/^Incomplete \(the progress in the course \(forbidden: .*could not be read/);
});

test('get_course_completion shows no percentage that it cannot read, and says so', async () => {
  const { call } = await startWith({ a: 0.54, b: '54%' });
  const asked = { course_id: 7, user_email: 'a@example.com' };
  const { structured = {}, text } = await call('get_course_completion', asked);
  expect(structured.course_completion_percent, text).toBeUndefined();
  expect(structured.coverage, text).toBeDefined();
  expect(row(structured.coverage)).toEqual({ complete: false, unreadable: { percentages: 1 } });
  expect(text).toMatch(/^Incomplete \(1 percentage could not be read\): /);
  const read = await call('get_course_completion', { ...asked, user_email: 'b@example.com' });
  expect(read.structured?.course_completion_percent).toBe(54);
  expect(read.structured?.coverage).toBeUndefined();
});

test('the record of another student, such as one that a proxy keeps, is not averaged', async () => {
  const kept = { status: 200, body: { id: 1, email: 'a@example.com', course_completion_percent: 90 } };
  const { call } = await startWith({ a: 90, b: kept, c: kept });
  const { structured = {} } = await call('course_progress', { course_id: 7 });
  expect(structured.coverage).toMatchObject({ complete: false, unreadable: { percentages: 2 } });
  expect(row(structured.totals)).toMatchObject({ buyers: 3, unknown: 2, average_percent: 90 });
});
