import { expect, test } from 'vitest';
import { row, rows } from '../../support/academy.ts';
import { addOrder, daysAgo, peopleIn } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';
import { counted, rawOrders } from '../../support/sales.ts';
import { everyPart } from '../../support/truth.ts';

const dayMs = 86_400_000;

test('too many days, weeks or months are refused before anything is sent', async () => {
  const { call } = await startAcademy();
  for (const group_by of ['day', 'week', 'month']) {
    const answer = await call('sales_report', { created_after: '0001-01-01', group_by });
    expect(expectRefusal(answer, 'invalid_input')).toContain('at most 4000');
    expect(requestsOf(answer)).toBe(0);
  }
  const years = await call('sales_report', { created_after: '1990-01-01', group_by: 'month' });
  expect(years.isError, years.text).toBe(false);
  expect((await call('sales_report', { created_after: '0001-01-01', group_by: 'product' })).isError).toBe(false);
});

test('all time begins with the first order, and is refused by day if that is too long ago', async () => {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  addOrder(sandbox, peopleIn(sandbox).ana, { courses: [7], created_at: daysAgo(5_000) });
  expect(expectRefusal(await call('sales_report', { group_by: 'day' }), 'invalid_input')).toContain('at most 4000');
  expect((await call('sales_report', { group_by: 'week' })).isError).toBe(false);
});

test('the cursor returns each further group once, and reads nothing again', async () => {
  const { sandbox, call } = await startAcademy({ orders: 900, students: 150 });
  const { kept } = counted(await rawOrders(sandbox), { to: Date.now() });
  const parts = await everyPart(call, 'sales_report', { group_by: 'day' });
  for (const { structured } of parts) expect(structured?.totals).toMatchObject({ orders: kept.length });
  for (const { text } of parts.slice(0, -1)) expect(text).toContain('go on with next_cursor');
  for (const part of parts.slice(1)) expect(requestsOf(part)).toBe(0);
  const groups = parts.flatMap(({ structured }) => rows(structured?.groups));
  const first = Date.parse(`${kept.at(-1)?.created_at.slice(0, 10)}T00:00:00Z`);
  const days = Math.floor(Date.now() / dayMs) - first / dayMs + 1;
  expect(days).toBeGreaterThan(600);
  expect(groups.map(({ key }) => key)).toEqual(
    Array.from({ length: days }, (_, index) => new Date(first + index * dayMs).toISOString().slice(0, 10)),
  );
  expect(groups.reduce((sum, { orders }) => sum + Number(orders), 0)).toBe(kept.length);
});

test('a day that a zone skipped is not listed', async () => {
  const { call } = await startAcademy();
  const bounds = { created_after: '2011-12-29', created_before: '2012-01-01', timezone: 'Pacific/Apia' };
  const { structured } = await call('sales_report', { ...bounds, group_by: 'day' });
  expect(rows(structured?.groups).map(({ key }) => key)).toEqual(['2011-12-29', '2011-12-31']);
});

/** Two students: one with a purchase and a gift of course 7, one with a gift alone, however its amount is written. */
async function startWithGifts() {
  const { sandbox, call } = await startAcademy({ students: 8, orders: 0 });
  const { ana, ben } = peopleIn(sandbox);
  addOrder(sandbox, ana, { courses: [7], amount: '20.00', created_at: daysAgo(3) });
  addOrder(sandbox, ana, { courses: [7], amount: '+0', created_at: daysAgo(2) });
  addOrder(sandbox, ben, { courses: [7], amount: ' 0.00 ' });
  return { call, gifted: ben.email };
}

test('orders of amount 0 are shown separately from purchases in totals, groups, rows and text', async () => {
  const { call, gifted } = await startWithGifts();
  const asked = { product: '7', product_type: 'course', include_granted: true };
  const sales = await call('sales_report', asked);
  expect(sales.structured?.totals).toMatchObject({ orders: 3, buyers: 1, holders: 2, granted: 2, granted_excluded: 0 });
  expect(sales.structured?.groups).toMatchObject([{ key: 'course 7', orders: 3, granted: 2 }]);
  expect(sales.text).toContain('3 orders (2 of amount 0: granted, free or a coupon), 20.00 USD');

  const found = await call('find_buyers', asked);
  expect(found.structured?.totals).toMatchObject({ orders: 3, granted: 2 });
  expect(found.structured?.buyers).toMatchObject([
    { email: gifted, granted: 1 },
    { orders: 2, granted: 1 },
  ]);
  expect(found.text).toMatch(new RegExp(`^${gifted}.*1 of amount 0`, 'm'));

  const progress = await call('course_progress', { course_id: 7, include_granted: true, stuck_after_days: 0 });
  expect(progress.structured?.totals).toMatchObject({ holders: 2, buyers: 1, granted: 2 });
  expect(rows(progress.structured?.stuck).map(({ granted }) => granted)).toEqual([1, 1]);
  expect(progress.text).toContain('2 holders (2 orders of amount 0)');
});

async function startWithSales() {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const { ana, ben } = peopleIn(sandbox);
  addOrder(sandbox, ana, { courses: [7], amount: '10.00', created_at: daysAgo(3) });
  addOrder(sandbox, ana, { courses: [7], amount: '5.01', created_at: daysAgo(2) });
  addOrder(sandbox, ben, { courses: [7, 8], amount: '30.00', currency: 'EUR', created_at: daysAgo(4) });
  addOrder(sandbox, ben, { digital_products: [2], amount: '90.00', created_at: daysAgo(4) });
  return { sandbox, call };
}

const group = (groups: unknown, key: string) => rows(groups).find((one) => one.key === key);

test('each product has the sums of whole orders and of itself alone, and the average and buyers by currency', async () => {
  const { call } = await startWithSales();
  const { structured, text } = await call('sales_report', { detail: 'full' });
  expect(group(structured?.groups, 'course 7')).toEqual({
    key: 'course 7',
    label: expect.any(String),
    orders: 3,
    buyers: 2,
    order_total: { EUR: '30.00', USD: '15.01' },
    alone_total: { EUR: '0', USD: '15.01' },
    average: { EUR: '30.00', USD: '7.51' },
    buyers_by_currency: { EUR: 1, USD: 1 },
  });
  expect(structured?.totals).toMatchObject({
    revenue: { EUR: '30.00', USD: '105.01' },
    average: { EUR: '30.00', USD: '35.00' },
    buyers_by_currency: { EUR: 1, USD: 2 },
  });
  expect(text).toContain('alone_total: orders of this product alone');
  expect(text).toMatch(/^key .*\| average \| buyers_by_currency$/m);
  expect(text).toMatch(/^course 7 .*\| EUR=30\.00; USD=7\.51 \|/m);
});

test('product_type without product keeps only products of that type', async () => {
  const { call } = await startWithSales();
  const { structured, text } = await call('sales_report', { product_type: 'digital_product' });
  expect(rows(structured?.groups).map(({ key }) => key)).toEqual(['digital_product 2']);
  expect(structured?.totals).toMatchObject({ orders: 1, revenue: { USD: '90.00' } });
  expect(text).toMatch(/^Sales of type digital_product/);
  expectRefusal(await call('sales_report', { product_type: 'project' }), 'not_found');
});

test('challenges are told from courses', async () => {
  const { sandbox, call } = await startWithSales();
  const challenge = sandbox.academy.catalogue.courses.all().find(({ is_challenge }) => is_challenge);
  addOrder(sandbox, peopleIn(sandbox).cyd, { courses: [challenge?.id ?? 0], amount: '3.00' });
  const { structured } = await call('sales_report', { product_type: 'challenge' });
  expect(rows(structured?.groups).map(({ key }) => key)).toEqual([`course ${challenge?.id}`]);
});

test('include_unsold names each product without a sale, unpublished ones too', async () => {
  const { sandbox, call } = await startWithSales();
  const { catalogue } = sandbox.academy;
  const draft = catalogue.courses.all().find(({ is_published }) => !is_published);
  const all = await call('sales_report', { include_unsold: true });
  const unsold = row(all.structured?.unsold);
  expect(Object.keys(unsold)).toContain(`course ${draft?.id}`);
  for (const { id } of catalogue.bundles.all()) expect(Object.keys(unsold)).toContain(`bundle ${id}`);
  for (const { key } of rows(all.structured?.groups)) expect(Object.keys(unsold)).not.toContain(key);
  expect(all.text).toContain('unsold: ');
  for (const form of [all.structured?.note, all.text]) {
    expect(form).toContain(`unsold and not published: course ${draft?.id}`);
  }
  const challenges = await call('sales_report', { product_type: 'challenge', include_unsold: true });
  expect(Object.keys(row(challenges.structured?.unsold))).toEqual(['course 13', 'course 14', 'course 15']);
  expect(challenges.text).toContain('unsold and not published: course 15"');
  const bundles = await call('sales_report', { product_type: 'bundle', include_unsold: true });
  const ids = catalogue.bundles.all().map(({ id }) => `bundle ${id}`);
  expect(Object.keys(row(bundles.structured?.unsold)).sort()).toEqual(ids.sort());
  const wrong = await call('sales_report', { include_unsold: true, group_by: 'day' });
  expectRefusal(wrong, 'invalid_input');
  expect(requestsOf(wrong)).toBe(0);
});

test('the ten largest products come first, the cursor has all others, and detail full has all at once', async () => {
  const { call } = await startAcademy({ orders: 900, students: 150 });
  const bounds = { created_before: new Date().toISOString() };
  const first = await call('sales_report', bounds);
  const others = await call('sales_report', { ...bounds, cursor: first.structured?.next_cursor });
  const all = await call('sales_report', { ...bounds, detail: 'full' });
  const keys = (answer: typeof all) => rows(answer.structured?.groups).map(({ key }) => key);
  expect(keys(first)).toHaveLength(10);
  expect(first.structured?.groups_total).toBe(keys(all).length);
  expect(first.text).toContain(`Shown: 1 to 10 of ${keys(all).length} groups; next_cursor has the others.`);
  expect(others.structured?.next_cursor).toBeUndefined();
  expect([...keys(first), ...keys(others)]).toEqual(keys(all));
});

test('a report on one product shows the products of its orders only if it asks for groups', async () => {
  const { call } = await startWithSales();
  const asked = { product: '8', product_type: 'course' };
  const keys = async (more = {}) =>
    rows((await call('sales_report', { ...asked, ...more })).structured?.groups).map(({ key }) => key);
  expect(await keys()).toEqual(['course 8']);
  expect(await keys({ group_by: 'product' })).toEqual(['course 8', 'course 7']);
});

test('sort puts the largest first', async () => {
  const { call } = await startWithSales();
  const keys = async (sort: string) =>
    rows((await call('sales_report', { sort })).structured?.groups).map(({ key }) => key);
  expect(await keys('revenue')).toEqual(['digital_product 2', 'course 7', 'course 8']);
  expect(await keys('orders')).toEqual(['course 7', 'course 8', 'digital_product 2']);
  expect(await keys('key')).toEqual(['course 7', 'course 8', 'digital_product 2']);
});

test('a continued report says that it replaces the one before', async () => {
  const { call } = await startAcademy({ orders: 900, students: 150 });
  const first = await call('sales_report', { max_requests: 3 });
  expect(first.structured?.note ?? '').not.toContain('replaces');
  const second = await call('sales_report', { max_requests: 3, cursor: first.structured?.next_cursor });
  expect(second.structured?.note).toContain('this answer replaces the one before');
  expect(second.text).toContain('this answer replaces the one before');
});

test('a group that the period cuts is marked as partial', async () => {
  const { call } = await startWithSales();
  const { structured } = await call('sales_report', { period: 'last_7_days', group_by: 'day' });
  const groups = rows(structured?.groups);
  expect(groups.map(({ partial = false }) => partial)).toEqual([...Array(6).fill(false), true]);
  expect(row(structured?.period).running).toBe(true);
});

test('countries, which buyers write, are marked as theirs', async () => {
  const { call } = await startAcademy({ orders: 60 });
  const { structured, text } = await call('sales_report', { group_by: 'country' });
  expect(structured?.by_members).toEqual(['key']);
  expect(text).toContain('by_members: key');
  expect((await call('sales_report', {})).structured).not.toHaveProperty('by_members');
});
