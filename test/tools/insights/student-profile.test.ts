import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { type Row, row, rows, the } from '../../support/academy.ts';
import { addOrder, altering, daysAgo, down, newcomer } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { startGuarded } from '../../support/guarded.ts';
import { requestsOf } from '../../support/refusal.ts';
import { type RawOrder, rawOrders, sums } from '../../support/sales.ts';
import { trueCompletion } from '../../support/truth.ts';

const isSettled = ({ status }: RawOrder) => status === 'paid' || status === 'wallet_executed';
const isZero = ({ amount }: RawOrder) => Number(amount) === 0;
/** Orders in each list of a profile. */
const newest = 5;
const idsOf = (orders: unknown) => rows(orders ?? []).map(({ id }) => id);
const ids = (orders: readonly RawOrder[]) => orders.map(({ id }) => id);

/** "course 7" and so on, as an order lists them. */
function listed({ courses, bundles, digital_products }: RawOrder): string[] {
  const of = (kind: string, list: readonly { id: number }[]) => list.map(({ id }) => `${kind} ${id}`);
  return [...of('course', courses), ...of('bundle', bundles), ...of('digital_product', digital_products)];
}

function isKnown(bundle: string, own: readonly RawOrder[]): boolean {
  return own.filter(({ bundles }) => bundles.some(({ title }) => title === bundle)).length >= 3;
}

/** What a holding should say, by the orders of its student alone. */
function holdingOf(product: string, own: readonly RawOrder[]): Row {
  const through = own.filter((order) => isSettled(order) && listed(order).includes(product)).reverse();
  const bundles = product.startsWith('bundle') ? [] : (through[0]?.bundles ?? []);
  return {
    product,
    how: through.every(isZero) ? 'granted' : 'bought',
    // Fewer than three orders of a bundle do not show what it contains.
    via:
      bundles.length === 0
        ? undefined
        : bundles.map(({ title }) => `${isKnown(title, own) ? '' : 'perhaps '}${title}`).join(', '),
    since: through[0]?.created_at.slice(0, 10),
    orders: through.length,
  };
}

async function expectHoldings(sandbox: Sandbox, email: string, holds: readonly Row[], own: readonly RawOrder[]) {
  const products = [...new Set(own.filter(isSettled).flatMap(listed))];
  expect(holds.map(({ product }) => product).sort(), email).toEqual(products.sort());
  for (const { title: _title, course_completion_percent, access_ended: _end, ...holding } of holds) {
    const product = String(holding.product);
    expect({ via: undefined, ...holding }).toEqual(holdingOf(product, own));
    const [kind, id] = product.split(' ');
    const percent = kind === 'course' ? await trueCompletion(sandbox, Number(id), email) : undefined;
    expect(course_completion_percent, `${email} ${product}`).toBe(percent);
  }
}

test('for every student, holdings and orders match the raw orders', async () => {
  const { sandbox, call } = await startAcademy({ students: 25, orders: 150 });
  const raw = await rawOrders(sandbox);
  const emails = new Set<unknown>(sandbox.academy.students.all().map(({ email }) => email));
  the(raw, 'order typed in other capitals', ({ user_email }) => !emails.has(user_email));
  for (const { email } of sandbox.academy.students.all()) {
    const own = raw.filter(({ user_email }) => user_email.toLowerCase() === email.toLowerCase());
    const { structured = {}, isError, text } = await call('student_profile', { email });
    expect(isError, text).toBe(false);
    const bought = own.filter((order) => isSettled(order) && !isZero(order));
    const groups = {
      bought,
      granted: own.filter((order) => isSettled(order) && isZero(order)),
      unpaid: own.filter((order) => !isSettled(order)),
    };
    const { revenue, ...totals } = row(structured.totals);
    for (const [name, orders] of Object.entries(groups)) {
      expect(idsOf(structured[name]), email).toEqual(ids(orders.slice(0, newest)));
      expect(totals[name], email).toBe(orders.length);
    }
    expect(
      Object.fromEntries(Object.entries(row(revenue)).map(([name, sum]) => [name, Number(sum).toFixed(2)])),
    ).toEqual(sums(bought));
    await expectHoldings(sandbox, email, rows(structured.holds ?? []), own);
    expect(row(structured.student).email).toBe(email);
    expect(row(structured.coverage).complete).toBe(true);
  }
});

test('a student is found by any capitals, with the orders under other capitals', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox, 'Ina.Newcomer@Example.com');
  const spelled = 'ina.newcomer@example.com';
  const paid = addOrder(sandbox, student, { user_email: 'INA.Newcomer@example.com', courses: [5] });
  const unpaid = { user_email: spelled, courses: [8] };
  const pending = addOrder(sandbox, student, { ...unpaid, status: 'pending', created_at: daysAgo(3) });
  const failed = addOrder(sandbox, student, { status: 'failed', courses: [6], created_at: daysAgo(2) });
  for (const email of [student.email, spelled, 'INA.NEWCOMER@EXAMPLE.COM']) {
    const { structured = {} } = await call('student_profile', { email });
    expect(idsOf(structured.bought), email).toEqual([paid.id]);
    expect(idsOf(structured.unpaid), email).toEqual([failed.id, pending.id]);
    expect(rows(structured.holds)).toMatchObject([{ product: 'course 5', course_completion_percent: 0 }]);
  }
});

test('an exhausted budget is stated first, and with more requests the answer is complete', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [1, 2, 3, 4, 5, 6] });
  const asked = { email: student.email };
  const short = await call('student_profile', { ...asked, max_requests: 5 });
  const { holds, coverage } = short.structured ?? {};
  expect(short.text).toMatch(/^Incomplete/);
  expect(row(coverage)).toMatchObject({ complete: false, courses_without_progress: 3, requests_spent: 5 });
  expect(requestsOf(short)).toBe(5);
  expect(rows(holds).filter((holding) => 'course_completion_percent' in holding)).toHaveLength(3);
  expect(rows(holds)).toHaveLength(6);
  const whole = await call('student_profile', { ...asked, max_requests: 8 });
  expect(whole.text).not.toMatch(/^Incomplete/);
  expect(row(whole.structured?.coverage)).toMatchObject({ complete: true, requests_spent: 8 });
});

test('if the API fails midway, the answer names the unread parts and the reason', async () => {
  const { sandbox, onPath, call } = await startGuarded();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [1, 2, 3, 4, 5, 6] });
  onPath('/courses/2/', down);
  const { structured = {}, text } = await call('student_profile', { email: student.email });
  expect(text).toMatch(/^Incomplete/);
  const coverage = row(structured.coverage);
  // Of the four that were asked together three are known.
  expect(coverage).toMatchObject({ complete: false, courses_without_progress: 3 });
  expect(coverage.stopped).toMatch(/^api_unavailable/);
  expect(rows(structured.holds)).toHaveLength(6);
});

test('the profile and the plan of an offboarding mark courses whose access has ended, and say what was not checked', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  const { email } = student;
  const bare = await call('student_profile', { email });
  expect(bare.structured?.note).not.toContain('may have ended');
  // Access to course 4 lasts 180 days, to the challenge 13 60 days; course 1 has no end.
  const last = addOrder(sandbox, student, { courses: [4, 1], created_at: daysAgo(200) });
  addOrder(sandbox, student, { courses: [13], created_at: daysAgo(90) });
  addOrder(sandbox, student, { courses: [13], created_at: daysAgo(20) });
  const ended = new Date(Number(last.created_at) + 180 * 86_400_000).toISOString().slice(0, 10);
  const unchecked = 'with days_of_access may have ended: diagnose_access shows it';
  const profile = await call('student_profile', { email });
  const ends = rows(profile.structured?.holds).map(({ product, access_ended }) => [product, access_ended]);
  expect(ends).toEqual([
    ['course 13', undefined],
    ['course 4', ended],
    ['course 1', undefined],
  ]);
  expect(profile.text).toContain(ended);
  expect(profile.text).toContain(': 3 products held (access to 1 of them ended), ');
  expect(profile.text).not.toContain(unchecked);
  const plan = await call('offboard_student', { email });
  for (const text of [plan.text, [plan.structured?.plan].flat().join('\n')]) {
    expect(text).toMatch(new RegExp(`^  course 4 "[^"]+" \\(access ended on ${ended}\\): separately`, 'm'));
    expect(text.match(/access ended/g)).toHaveLength(1);
    expect(text).toContain('Takes 3 products (access to 1 of them ended) off 3 orders');
    expect(text).not.toContain(unchecked);
  }
});

test('a profile without requests left for the days of access says that access may have ended', async () => {
  const { sandbox, call } = await startAcademy();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [4], created_at: daysAgo(200) });
  const { structured, text } = await call('student_profile', { email: student.email, max_requests: 3 });
  expect(rows(structured?.holds)).toMatchObject([{ product: 'course 4' }]);
  for (const form of [text, structured?.note])
    expect(form).toContain('access to the products with days_of_access may have ended: diagnose_access shows it');
});

test('while orders may be missing no access is marked as ended: one of them may have extended it', async () => {
  const { sandbox, onPath, call } = await startGuarded();
  const student = newcomer(sandbox);
  addOrder(sandbox, student, { courses: [4], created_at: daysAgo(200) });
  const nameless = altering((body) => {
    const others = rows(body.orders).map(({ user_email: _email, ...order }) => ({ ...order, id: 'other' }));
    return { ...body, orders: [...rows(body.orders), ...others] };
  });
  onPath('/orders?', nameless);
  const { structured } = await call('student_profile', { email: student.email });
  expect(row(structured?.coverage)).toMatchObject({ complete: false });
  expect(rows(structured?.holds)).toMatchObject([{ product: 'course 4' }]);
  expect(rows(structured?.holds)[0]?.access_ended).toBeUndefined();
  expect(structured?.note).toContain('may have ended');
});

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
