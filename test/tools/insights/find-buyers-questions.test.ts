import { expect, test } from 'vitest';
import { row, rows, the } from '../../support/academy.ts';
import { addOrder, daysAgo, newcomer, peopleIn } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { requestsOf } from '../../support/refusal.ts';

/** Ana has courses 7 and 8 from two orders, Ben 7 with 9 in one order, Cyd a bundle, and Dan was granted course 7. */
async function startWithBuyers() {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const people = peopleIn(sandbox);
  const { ana, ben, cyd, dan } = people;
  const { bundles } = sandbox.academy.catalogue;
  const bundle = the(bundles.all(), 'bundle without course 7', ({ course_ids }) => !course_ids.includes(7));
  addOrder(sandbox, ana, { courses: [7], amount: '10.00', created_at: daysAgo(3) });
  addOrder(sandbox, ana, { courses: [8], amount: '20.00', created_at: daysAgo(2) });
  addOrder(sandbox, ben, { courses: [7, 9], amount: '30.00', created_at: daysAgo(5) });
  const addBundle = () =>
    addOrder(sandbox, cyd, { bundles: [bundle.id], courses: [...bundle.course_ids], amount: '40.00' });
  addBundle();
  addOrder(sandbox, dan, { courses: [7], amount: '0' });
  const emails = async (args: Record<string, unknown>) => {
    const answer = await call('find_buyers', args);
    expect(answer.isError, answer.text).toBe(false);
    return rows(answer.structured?.buyers ?? []).map(({ email }) => email);
  };
  return { call, emails, addBundle, bundle: bundle.id, people };
}

const product = { product: '7', product_type: 'course' };

test('an answer names the bundles of which it is not known whether they were bought alone', async () => {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const buy = (email: string) =>
    addOrder(sandbox, newcomer(sandbox, email), { bundles: [1], courses: [7, 9], amount: '99.00' });
  const notes = async () => [
    String((await call('find_buyers', { product: 'bundle 1' })).structured?.note),
    String((await call('sales_report', {})).structured?.note),
  ];
  for (const email of ['ann@example.com', 'bob@example.com']) buy(email);
  const unclear = 'contents of bundle 1 not known from these orders: shared ones may be of the bundle alone';
  for (const note of await notes()) expect(note).toContain(unclear);
  buy('cyd@example.com');
  for (const note of await notes()) expect(note).not.toContain('not known');
});

test('the sums of whole orders and of the product alone are separate, in both forms', async () => {
  const { call, people } = await startWithBuyers();
  const { structured, text } = await call('find_buyers', product);
  expect(structured?.totals).toEqual({
    buyers: 2,
    orders: 2,
    granted_excluded: 1,
    shared_orders: 1,
    order_total: { USD: '40.00' },
    alone_total: { USD: '10.00' },
  });
  expect(rows(structured?.buyers)).toMatchObject([
    { email: people.ana.email, amount: '10.00' },
    { email: people.ben.email, amount: '30.00', alone_total: '0' },
  ]);
  expect(structured?.amounts).toContain('whole orders; alone_total: this product alone');
  expect(text).toContain('order_total (whole orders) 40.00 USD; alone_total (this product alone) 10.00 USD');
});

test('with several products, alone_total is of these products alone, in both forms', async () => {
  const { call } = await startWithBuyers();
  const { structured, text } = await call('find_buyers', { products: ['course 7', 'course 5'] });
  expect(structured?.amounts).toContain('alone_total: these products alone');
  expect(text).toContain('alone_total (these products alone)');
});

test('a bundle alone is paid for alone, although its order lists the courses in it', async () => {
  const { call, bundle, addBundle } = await startWithBuyers();
  const totals = async () =>
    row((await call('find_buyers', { product: String(bundle), product_type: 'bundle' })).structured?.totals);
  // One order does not show whether the courses came with the bundle.
  expect(await totals()).toMatchObject({ alone_total: { USD: '0' }, shared_orders: 1 });
  addBundle();
  addBundle();
  expect(await totals()).toMatchObject({ order_total: { USD: '120.00' }, alone_total: { USD: '120.00' } });
  expect((await totals()).shared_orders).toBeUndefined();
  const report = await call('sales_report', { product_type: 'bundle', group_by: 'product' });
  expect(row(report.structured?.totals).shared_orders).toBeUndefined();
});

test('who got the product for nothing is named in the first answer, and is no buyer', async () => {
  const { call, people } = await startWithBuyers();
  const first = await call('find_buyers', product);
  const dan = expect.stringMatching(new RegExp(`^${people.dan.name} <${people.dan.email}> \\d{4}-\\d\\d-\\d\\d`));
  expect(first.structured?.granted_to).toEqual([dan]);
  expect(first.text).toContain(`granted_to: ${rows([first.structured]).map(({ granted_to }) => granted_to)}`);
  const { structured, text } = await call('find_buyers', { ...product, include_granted: true });
  expect(structured?.totals).toMatchObject({ buyers: 2, holders: 3, granted: 1 });
  expect(text).toMatch(/^3 holders \(2 buyers\) of course 7/);
});

test('without a product everybody who bought is listed, and min_products counts a bundle once', async () => {
  const { emails, people } = await startWithBuyers();
  expect(await emails({})).toEqual([people.cyd.email, people.ana.email, people.ben.email]);
  expect(await emails({ min_products: 2 })).toEqual([people.ana.email, people.ben.email]);
});

test('products match any or all, and without leaves out those who have another', async () => {
  const { call, emails, people } = await startWithBuyers();
  const both = { products: ['course 7', 'course 8'] };
  expect(await emails(both)).toEqual([people.ana.email, people.ben.email]);
  expect(await emails({ ...both, match: 'all' })).toEqual([people.ana.email]);
  expect(await emails({ ...product, without: ['8'] })).toEqual([people.ben.email]);
  const { structured, text } = await call('find_buyers', { ...both, match: 'all' });
  expect(rows(structured?.buyers)[0]?.products).toEqual(['course 8', 'course 7']);
  expect(structured).toMatchObject({ match: 'all' });
  expect(text).toContain('all of course 7');
});

test('products takes a challenge as answers name it', async () => {
  const { call } = await startWithBuyers();
  const answer = await call('find_buyers', { products: ['challenge 13'] });
  expect(answer.structured?.product).toMatchObject({ product_type: 'challenge', id: 13 });
});

test('totals_only shows no rows, and no cursor for them', async () => {
  const { call } = await startWithBuyers();
  const { structured } = await call('find_buyers', { ...product, totals_only: true });
  expect(structured?.totals).toMatchObject({ buyers: 2 });
  expect(structured).not.toHaveProperty('buyers');
  expect(structured).not.toHaveProperty('next_cursor');
});

test('the cursor of a question about several products goes on with it', async () => {
  const { call, people } = await startWithBuyers();
  const question = { products: ['course 7', 'course 8'], limit: 1 };
  const first = await call('find_buyers', question);
  const second = await call('find_buyers', { ...question, cursor: first.structured?.next_cursor });
  expect(rows(second.structured?.buyers)).toMatchObject([{ email: people.ben.email }]);
  expect(second.structured?.products).toEqual(first.structured?.products);
  const [heading] = second.text.split('\n').filter((line) => line.startsWith('email | '));
  expect(first.text).toContain(heading);
});

test('an empty answer says what was asked, and what there is; a running period is marked', async () => {
  const { call } = await startWithBuyers();
  const none = await call('find_buyers', { product: '6', product_type: 'course', period: 'last_7_days' });
  expect(none.structured?.note).toBe(
    'nothing found: none of the 5 orders of status paid, wallet_executed in the period matches',
  );
  expect(none.text).toContain('still running');
  expect(row(none.structured?.period).running).toBe(true);
  const empty = await call('sales_report', { created_after: '2020-01-01', created_before: '2020-02-01' });
  expect(empty.structured?.note).toBe('nothing found: the period has no orders of status paid, wallet_executed');
  expect(empty.text).toContain('nothing found');
  expect(row(empty.structured?.period).running).toBeUndefined();
  // The local midnight is before the same date in UTC.
  for (const created_before of ['2020-02-01', '2020-02-01T00:00', '2020-02-01T00:00:00+01:00']) {
    const ended = await call('sales_report', {
      created_after: '2020-01-01',
      created_before,
      timezone: 'Europe/Madrid',
    });
    expect(row(ended.structured?.period).running, created_before).toBeUndefined();
  }
  for (const created_before of ['2999-01-01', undefined]) {
    const open = await call('sales_report', { created_after: '2020-01-01', created_before });
    expect(row(open.structured?.period).running).toBe(true);
    expect(open.text).toContain(', still running');
  }
});

test('granted_only lists who got the product at amount 0, without sums, and who also paid', async () => {
  const { call, people } = await startWithBuyers();
  const { structured, text } = await call('find_buyers', { ...product, granted_only: true });
  expect(structured?.totals).toEqual({ holders: 1, orders: 1, granted: 1 });
  expect(rows(structured?.buyers)).toEqual([
    { email: people.dan.email, name: people.dan.name, date: new Date(daysAgo(1)).toISOString().slice(0, 10) },
  ]);
  expect(text).toMatch(/^1 person with 1 order of amount 0 \(granted, free or a coupon\) of course 7/);
  expect(text).not.toContain('amount in');
});

test('who paid for the product and also got it at amount 0 is marked', async () => {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const { ana } = peopleIn(sandbox);
  addOrder(sandbox, ana, { courses: [7], amount: '10.00', created_at: daysAgo(3) });
  addOrder(sandbox, ana, { courses: [7], amount: '0', created_at: daysAgo(1) });
  const { structured, text } = await call('find_buyers', { ...product, granted_only: true });
  expect(rows(structured?.buyers)).toMatchObject([{ email: ana.email, also_paid: true }]);
  expect(text).toContain(' | also paid');
  expect(structured?.note).toContain('also_paid: for what was asked, in this period');
});

test('buyers are sorted by number of products or by sum, and the note names the currency of the sum', async () => {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const { ana, ben, cyd } = peopleIn(sandbox);
  addOrder(sandbox, ana, { courses: [7, 8, 9], amount: '10.00', created_at: daysAgo(4) });
  addOrder(sandbox, ben, { courses: [7, 8], amount: '300.00', created_at: daysAgo(3) });
  addOrder(sandbox, cyd, { courses: [7], amount: '900.00', currency: 'EUR', created_at: daysAgo(2) });
  const ask = async (sort?: string) => {
    const { structured } = await call('find_buyers', { sort });
    return { emails: rows(structured?.buyers).map(({ email }) => email), note: structured?.note };
  };
  expect((await ask()).emails).toEqual([cyd.email, ben.email, ana.email]);
  expect((await ask('products')).emails).toEqual([ana.email, ben.email, cyd.email]);
  const byAmount = await ask('amount');
  expect(byAmount.emails).toEqual([ben.email, ana.email, cyd.email]);
  expect(byAmount.note).toContain('sorted by the sum in USD; buyers without one come last');
});

test('a heading names the only currency, or the one that cells without a currency have', async () => {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const { ana, ben, cyd } = peopleIn(sandbox);
  addOrder(sandbox, ana, { courses: [7, 8], amount: '10.00', created_at: daysAgo(4) });
  addOrder(sandbox, cyd, { courses: [7], amount: '20.00', created_at: daysAgo(4) });
  expect((await call('find_buyers', product)).text).toContain(' | amount in USD | ');
  addOrder(sandbox, ben, { courses: [7], amount: '900.00', currency: 'EUR', created_at: daysAgo(2) });
  const { text } = await call('find_buyers', product);
  expect(text).toContain(' | amount usually USD | ');
  expect(text).toContain(' | 900.00 EUR | ');
  expect(text).toContain('alone_total (this product alone) 20.00 USD, others as order_total');
});

test('values that all rows share are stated once in the data, and so is the usual amount', async () => {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const students = sandbox.academy.students.all().slice(0, 8);
  students.forEach((student, index) => {
    addOrder(sandbox, student, { courses: [7], amount: index === 0 ? '20.00' : '10.00', created_at: daysAgo(2) });
  });
  const { structured, text } = await call('find_buyers', product);
  const { date } = row(structured?.defaults);
  expect(structured?.defaults).toEqual({ amount: '10.00', date });
  expect(rows(structured?.buyers).filter(({ amount }) => amount !== undefined)).toMatchObject([{ amount: '20.00' }]);
  expect(rows(structured?.buyers).every((buyer) => buyer.date === undefined)).toBe(true);
  expect(text.match(/ 10\.00 \| /g)).toHaveLength(7);
});

/** All bought course 7 in this week. Ana bought course 8 long ago, Ben was granted it, Cyd failed to pay for it, Dan has course 7 alone. */
async function startWithHolders() {
  const { sandbox, call } = await startAcademy({ orders: 0 });
  const people = peopleIn(sandbox);
  const { ana, ben, cyd } = people;
  for (const [index, student] of Object.values(people).entries()) {
    addOrder(sandbox, student, { courses: [7], created_at: daysAgo(1 + index) });
  }
  addOrder(sandbox, ana, { courses: [8], created_at: daysAgo(400) });
  addOrder(sandbox, ben, { courses: [8], amount: '0', created_at: daysAgo(300) });
  addOrder(sandbox, cyd, { courses: [8], status: 'failed', created_at: daysAgo(2) });
  return { call, people };
}

const unlike = { product: '7', product_type: 'course', without: ['8'] };
const emailsOf = (list: unknown) => rows(list ?? []).map(({ email }) => email);

test('without leaves out those who hold the product, also by an order outside the period or a grant, and names those who failed to pay for it', async () => {
  const { call, people } = await startWithHolders();
  const lacking = [people.cyd.email, people.dan.email];
  const whole = await call('find_buyers', unlike);
  expect(emailsOf(whole.structured?.buyers)).toEqual(lacking);
  const week = await call('find_buyers', { ...unlike, period: 'last_7_days' });
  expect(emailsOf(week.structured?.buyers)).toEqual(lacking);
  expect(week.structured).toMatchObject({ totals: { buyers: 2, orders: 2 }, coverage: { complete: true } });
  expect(week.structured?.note).toContain('without: all orders of 4 buyers were checked, also outside the period');
  expect(week.text).toContain('all orders of 4 buyers were checked');
});

test('both forms say that orders of other statuses were not paid', async () => {
  const { call } = await startAcademy();
  const statuses = ['pending', 'failed'];
  const people = await call('find_buyers', { statuses });
  expect(people.text).toMatch(/^\d+ buyers of any product, by orders of status pending, failed, to /);
  const report = await call('sales_report', { statuses });
  expect(report.text).toMatch(/^Orders of status pending, failed to /);
  for (const { structured } of [people, report])
    expect(structured?.note).toContain('nobody has paid orders of status pending or failed: they are no sales');
  const none = await call('sales_report', { product: 'bundle 1', period: 'today', statuses: ['wallet_executed'] });
  expect(none.text).toMatch(/^Orders of status wallet_executed of bundle 1 .*: 0 buyers, 0 orders, no revenue\./);
});

test('the statuses of a unlike do not change who holds the other product', async () => {
  const { call, people } = await startWithHolders();
  const { structured } = await call('find_buyers', { ...unlike, product: '8', without: ['7'], statuses: ['failed'] });
  expect(structured?.buyers).toBeUndefined();
  const both = await call('find_buyers', { ...unlike, statuses: ['paid', 'failed', 'wallet_executed'] });
  expect(emailsOf(both.structured?.buyers)).toEqual([people.cyd.email, people.dan.email]);
});

test('buyers whom max_requests left unchecked are marked, and next_cursor checks them', async () => {
  const { call, people } = await startWithHolders();
  const asked = { ...unlike, period: 'last_7_days' };
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

/** Somebody who bought a bundle of courses once alone, and once beside course 7, which it does not hold. */
async function startWithBeside() {
  const { sandbox, call } = await startAcademy();
  const { bundles } = sandbox.academy.catalogue;
  const bundle = the(bundles.all(), 'bundle without course 7', ({ course_ids }) => !course_ids.includes(7));
  const ina = newcomer(sandbox);
  const courses = [...bundle.course_ids];
  addOrder(sandbox, ina, { bundles: [bundle.id], courses });
  addOrder(sandbox, ina, { bundles: [bundle.id], courses: [7, ...courses] });
  return { call, email: ina.email, title: bundle.title, held: courses[0] };
}

test('via names a bundle for its own courses, and not for a course bought beside it', async () => {
  const { call, email, title, held } = await startWithBeside();
  const viaOf = async (product: unknown) => {
    const { structured } = await call('find_buyers', { product: String(product), product_type: 'course', limit: 500 });
    return the(rows(structured?.buyers), 'order of hers', (buyer) => buyer.email === email).via;
  };
  expect(await viaOf(7)).toBeUndefined();
  expect(await viaOf(held)).toBe(title);

  const profile = await call('student_profile', { email });
  const holds = new Map(rows(profile.structured?.holds).map(({ product, via }) => [product, via]));
  // Her own two orders do not show what the bundle contains.
  expect(holds.get('course 7')).toBe(`perhaps ${title}`);
  expect(holds.get(`course ${held}`)).toBe(`perhaps ${title}`);

  for (const id of [7, held]) {
    const { structured } = await call('diagnose_access', { email, product: String(id), product_type: 'course' });
    expect(rows(structured?.through).every(({ via }) => via === `perhaps ${title}`)).toBe(true);
  }
});

test('via costs no request', async () => {
  const { call } = await startWithBeside();
  const answer = await call('find_buyers', { product: '7', product_type: 'course' });
  expect(requestsOf(answer)).toBe(1 + Number(row(answer.structured?.coverage).pages_read));
});
