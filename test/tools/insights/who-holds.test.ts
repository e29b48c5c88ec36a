import { expect, onTestFinished, test } from 'vitest';
import { startFaultServer } from '../../reliability/fault-server.ts';
import { at, row, rows } from '../../support/academy.ts';
import { addOrder, altering, newcomer } from '../../support/arrange.ts';
import { connect } from '../../support/connect.ts';
import { startBetween } from '../../support/guarded.ts';

/** An academy whose orders, or details of students, are changed on the way. */
async function through(
  list: 'orders' | 'details',
  change: (record: Record<string, unknown>) => Record<string, unknown>,
) {
  const { sandbox, between, call } = await startBetween({ students: 60, orders: 200 });
  const fault = altering((body) =>
    list === 'orders' ? { ...body, orders: rows(body.orders).map(change) } : change(body),
  );
  const path = list === 'orders' ? '/orders?' : '/students/details';
  between.arm({ name: list, fault, match: (_method, asked) => asked.includes(path), times: 10_000 });
  return { sandbox, between, call };
}

const hasBundle = ({ bundles }: Record<string, unknown>) => rows(bundles ?? []).length > 0;

test('orders that list a bundle alone make the number of buyers of a course uncertain', async () => {
  const { call } = await through('orders', (order) =>
    hasBundle(order) ? { ...order, courses: [], digital_products: [] } : order,
  );
  for (const [tool, args] of [
    ['find_buyers', { product: 'course 7' }],
    ['sales_report', { product: 'course 7' }],
    ['course_progress', { course_id: 7, max_requests: 200 }],
  ] as const) {
    const { structured, text } = await call(tool, args);
    expect(text).toMatch(/^Incomplete/);
    const { complete, unreadable } = row(structured?.coverage);
    expect([complete, Number(row(unreadable).products) > 0], text).toEqual([false, true]);
  }
  const bundles = await call('find_buyers', { product: 'bundle 1' });
  expect(row(bundles.structured?.coverage).complete, bundles.text).toBe(true);
});

test('an order that the API returned for the email asked, and that shows another email, is told by each tool', async () => {
  const { sandbox, between, call } = await startBetween({ students: 60, orders: 200 });
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [7] });
  const stray = (order: Record<string, unknown>) => ({
    ...order,
    id: 'under-another',
    user_email: 'ina.old@example.com',
  });
  const fault = altering((body) => ({ ...body, orders: rows(body.orders).flatMap((order) => [order, stray(order)]) }));
  const match = (_method: string, path: string) => path.includes('user_email=');
  between.arm({ name: 'stray', fault, match, times: 10_000 });
  const problem = 'the API returned 1 order for this email that shows another email';
  const profile = await call('student_profile', { email: student.email });
  expect(row(profile.structured?.coverage), profile.text).toMatchObject({ complete: false, stopped: problem });
  const diagnosis = await call('diagnose_access', { email: student.email, product: 'course 8' });
  expect(diagnosis.structured, diagnosis.text).toMatchObject({ holds: false, reason: 'unclear' });
  expect(diagnosis.text).toContain(problem);
  const preview = await call('offboard_student', { email: student.email });
  expect(preview.text).toContain(problem);
  const without = await call('find_buyers', { product: 'course 7', without: ['course 8'], period: 'last_7_days' });
  expect(row(without.structured?.coverage), without.text).toMatchObject({ complete: false });
  expect(Number(row(without.structured?.coverage).unchecked)).toBeGreaterThan(0);
});

test('a course that only the details list is held, and how is not known', async () => {
  const { sandbox, call } = await through('details', (body) => ({
    ...body,
    enrolled_courses: [...rows(body.enrolled_courses), { id: 9, title: 'By hand' }],
  }));
  const { email } = newcomer(sandbox);
  const profile = await call('student_profile', { email });
  expect(rows(profile.structured?.holds), profile.text).toMatchObject([{ product: 'course 9', how: 'enrolled' }]);
  const diagnosis = await call('diagnose_access', { email, product: 'course 9' });
  expect(diagnosis.structured, diagnosis.text).toMatchObject({ holds: true });
  const plan = await call('sync_roster', { students: [{ email }], product: 'course 9' });
  expect(plan.text).toMatch(/^Plan, nothing was changed: no student/);
});

test('rows of one id are one order with the products of all, and unreadable if their amounts differ', async () => {
  const { sandbox, call } = await through('orders', (order) => order);
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [1], amount: '10.00' });
  const split = await startFaultServer(sandbox.url);
  onTestFinished(() => split.close());
  const inRows = (isUnclear: boolean) =>
    altering((body) => ({
      ...body,
      orders: rows(body.orders).flatMap((order) =>
        order.user_email !== student.email
          ? [order]
          : [order, { ...order, courses: [{ id: 7, title: 'Seven' }], ...(isUnclear ? { amount: '12.00' } : {}) }],
      ),
    }));
  const ask = async (isUnclear: boolean) => {
    const armed = split.arm({
      name: 'rows',
      fault: inRows(isUnclear),
      match: (_m, path) => path.includes('/orders?'),
      times: 100,
    });
    const { call: asked } = await connect({ ACADEMY_BASE_URL: split.url, ACADEMY_RATE_LIMIT: 'off' });
    const answer = await asked('find_buyers', { product: 'course 7', period: 'last_7_days' });
    armed.disarm();
    return answer;
  };
  const joined = await ask(false);
  const ours = rows(joined.structured?.buyers).filter(({ email }) => email === student.email);
  expect(ours, joined.text).toHaveLength(1);
  expect(joined.text).toContain('1 order, order_total (whole orders) 10.00 USD');
  const unclear = await ask(true);
  expect(row(unclear.structured?.coverage), unclear.text).toMatchObject({
    complete: false,
    unreadable: { amounts: 1 },
  });
  expect((await call('find_buyers', { product: 'course 7', period: 'last_7_days' })).isError).toBe(false);
  expect(at(rows(unclear.structured?.buyers ?? [{}]), 0).email).not.toBe(student.email);
});
