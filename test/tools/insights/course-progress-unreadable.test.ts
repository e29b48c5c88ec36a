import { expect, test } from 'vitest';
import { type Row, row, rows } from '../../support/academy.ts';
import { connectToApi } from '../../support/connect.ts';
import type { Reply } from '../../support/recorder.ts';

const bought = new Date(Date.now() - 60 * 86_400_000).toISOString();
const html = { headers: { 'content-type': 'text/html' }, body: '<html></html>' };

const orderOf = (email: string, index: number) => ({
  id: `order-${index}`,
  amount: '10.00',
  currency: 'USD',
  status: 'paid',
  created_at: bought,
  user_email: email,
  user_name: email,
  courses: [{ id: 7, title: 'Seven' }],
  bundles: [],
  digital_products: [],
});

function isReply(answer: unknown): answer is Reply {
  return typeof answer === 'object' && answer !== null && ('status' in answer || 'headers' in answer);
}

/** An academy with a buyer for each answer to the question for progress. */
async function startWith(answers: Record<string, unknown>, more: readonly Row[] = []) {
  const emails = Object.keys(answers).map((name) => `${name}@example.com`);
  const orders: Row[] = [...emails.map(orderOf), ...more];
  const meta = { total_pages: 1, total_orders: orders.length, current_page: 1, per_page: 100 };
  return await connectToApi(({ path, body, query }) => {
    if (path.endsWith('/orders')) {
      const asked = new Map(query.filter(([name, value]) => name === 'user_email' || value !== 'all'));
      const own = orders.filter((order) =>
        (['user_email', 'status'] as const).every((name) => (asked.get(name) ?? order[name]) === order[name]),
      );
      return { body: { orders: own, meta: { ...meta, total_orders: own.length } } };
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

const emailsOf = (list: unknown) => rows(list ?? []).map(({ email }) => String(email).split('@')[0]);

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
  const undated = { ...orderOf('z@example.com', 9), created_at: '15 Nov 10:00' };
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

test('99.6 is not finished, for one student and on average', async () => {
  const { call } = await startWith({ a: 99.6, b: 100 });
  const { structured = {} } = await call('course_progress', { course_id: 7 });
  expect(emailsOf(structured.finished)).toEqual(['b']);
  expect(rows(structured.stuck)).toMatchObject([{ percent: 99.6 }]);
  expect(row(structured.totals).average_percent).toBe(99);
  expect(row(structured.coverage).complete).toBe(true);
});

test('if other values are fractions, the value 1 is not read as one percent', async () => {
  const { call } = await startWith({ a: 0.54, b: 1, c: 0 });
  const { structured = {} } = await call('course_progress', { course_id: 7 });
  expect(emailsOf(structured.stuck)).toEqual(['c']);
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
    expect(emailsOf(structured.finished)).toEqual(['a']);
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
