import { expect, test } from 'vitest';
import type { Rules } from '../../odd/academy/rules.ts';
import { startOdd } from '../../odd/academy/server.ts';
import { listSwitches } from '../../odd/switches/lists.ts';
import { markSwitches } from '../../odd/switches/reads-meaning.ts';
import type { Switch } from '../../odd/switches/switch.ts';
import { type Row, row } from '../../support/academy.ts';

// Whose clock a period follows, and how far back a cache on the way moves the time of an answer.

const hour = 3_600_000;

async function start(...rules: Rules[]) {
  const { academy, ...program } = await startOdd(rules);
  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    const { text, structured: data } = await program.call(tool, args);
    return { text, first: text.split('\n')[0] ?? '', data: row(data ?? {}) };
  };
  return { academy, call };
}

const timeOf = (value: unknown) => Date.parse(String(value));
const midnight = (at: number) => Math.floor(at / (24 * hour)) * 24 * hour;

for (const hours of [26, -26, 7]) {
  test(`the first question of a machine ${hours} hours off is about the day of the server, and says so`, async () => {
    for (const tool of ['sales_report', 'find_buyers', 'unpaid_orders', 'community_digest']) {
      const { academy, call } = await start({ clockMs: hours * hour });
      const before = academy.now();
      const { data } = await call(tool, { period: 'today' });
      const { from, to } = row(data.period);
      expect([midnight(before), midnight(academy.now())], tool).toContain(timeOf(from));
      expect(timeOf(to), tool).toBeGreaterThan(before - 60_000);
      expect(timeOf(to), tool).toBeLessThan(academy.now() + 60_000);
      const way = hours > 0 ? 'behind' : 'ahead of';
      expect(data.note, tool).toContain(`this machine is ${Math.abs(hours)} hours ${way} the clock of the API`);
    }
  });
}

test('a closed day of the server is whole, even if it is not over on this machine', async () => {
  const { academy, call } = await start({ clockMs: 30 * hour });
  const today = midnight(academy.now());
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  const { data } = await call('sales_report', {
    created_after: date(today - 7 * 24 * hour),
    created_before: date(today),
  });
  expect(timeOf(row(data.period).to)).toBe(today);
  const isCounted = ({ at, status, amount }: (typeof academy.state.orders)[number]) =>
    at >= today - 7 * 24 * hour && at < today && /^(paid|wallet_executed)$/.test(status) && Number(amount) > 0;
  expect(row(data.totals).orders).toBe(academy.state.orders.filter(isCounted).length);
});

test('orders dated after now count in a period that ends now, and are named', async () => {
  const { academy, call } = await start({
    seed: ({ orders }, now) => {
      for (const order of orders.slice(0, 3)) {
        Object.assign(order, { at: now + 50 * hour, status: 'paid', amount: '49.90', currency: 'USD', courses: [11] });
      }
    },
  });
  const isCounted = ({ status, amount, at }: (typeof academy.state.orders)[number]) =>
    at > academy.now() - 24 * hour && /^(paid|wallet_executed)$/.test(status) && Number(amount) > 0;
  const from = new Date(academy.now() - 24 * hour).toISOString();
  for (const group_by of ['country', 'day']) {
    const { data } = await call('sales_report', { group_by, created_after: from });
    expect(row(data.totals).orders).toBe(academy.state.orders.filter(isCounted).length);
    expect(data.note).toMatch(/3 orders dated after now \(up to .*\) counted/);
    if (group_by === 'day') expect(JSON.stringify(data.groups)).toContain('after_now');
  }
  const { data } = await call('find_buyers', { product: '11', product_type: 'course', created_after: from });
  expect(data.note).toMatch(/3 orders dated after now/);
});

test('the age of an answer moves its time back, and is no difference of clocks', async () => {
  const { academy, call } = await start({
    after: (reply) => ({
      ...reply,
      headers: { ...reply.headers, age: '5400', date: new Date(Date.now() - 5_400_000).toUTCString() },
    }),
  });
  const questions: [tool: string, args: Record<string, unknown>][] = [
    ['sales_report', { period: 'last_week' }],
    ['find_buyers', { product: '11', product_type: 'course' }],
    ['course_progress', { course_id: 11 }],
    ['unpaid_orders', { period: 'last_week' }],
    ['list_students', { sort: 'name' }],
    ['community_digest', {}],
    ['student_profile', { email: academy.state.students[0]?.email }],
    ['diagnose_access', { email: academy.state.students[0]?.email, product: '11', product_type: 'course' }],
  ];
  for (const [tool, args] of questions) {
    const { data } = await call(tool, args);
    const asOf = timeOf(row(data.coverage ?? data).as_of ?? data.as_of);
    expect(Math.abs(Date.now() - 5_400_000 - asOf), tool).toBeLessThan(600_000);
    expect(String(data.note ?? ''), tool).not.toContain('clock');
  }
});

// What an answer of the API shows against the count that a tool would make of it.

function rulesOf(switches: readonly Switch[], name: string): Rules {
  const found = switches.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no switch ${name}`);
  return found.rules;
}

test('orders that carry refunded_at are named, and summed only beside the total', async () => {
  const { academy, call } = await start(rulesOf(markSwitches, 'marks-refunded-at'));
  const undone = academy.state.orders.filter(
    ({ undone, status }) => undone === true && (status === 'paid' || status === 'wallet_executed'),
  );
  const { first, data } = await call('sales_report', { group_by: 'country' });
  const { orders, revenue, marked } = row(data.totals);
  expect(row(marked)).toMatchObject({ orders: undone.length, fields: { refunded_at: undone.length } });
  expect(row(row(marked).with_them)).not.toEqual(revenue);
  expect(row(data.coverage)).toMatchObject({ complete: false });
  expect(row(row(data.coverage).unreadable).marks).toBeGreaterThanOrEqual(undone.length);
  expect(first).toMatch(/^Incomplete \(\d+ orders carry marks of a refund or the like\)/);
  expect(first).toContain(`${undone.length} orders carry refunded_at, left out (with them `);
  expect(orders).toBeGreaterThan(0);
});

test('a whole list says that it is not whole if its answer counts more records', async () => {
  const { call } = await start(rulesOf(listSwitches, 'lists-x-total'));
  const { first, data } = await call('list_courses');
  expect(first).toMatch(/^Incomplete \(the API reports 900 records\): /);
  expect(data.coverage).toMatchObject({ complete: false, stopped: 'the API reports 900 records' });
});

test('an empty list beside a status of maintenance is not "none"', async () => {
  const { call } = await start(rulesOf(listSwitches, 'lists-maintenance'));
  const buyers = await call('find_buyers', { product: '11', product_type: 'course' });
  expect(buyers.data.coverage).toMatchObject({ complete: false });
  const page = await call('list_orders', { status: 'all' });
  expect(page.first).toMatch(/^Incomplete \(the API says that this page is not whole: "status" of "maintenance"/);
});

test('a page with a link to a next one is not the last, and an empty next page ends the list in doubt', async () => {
  const { call } = await start(rulesOf(listSwitches, 'lists-link-next'));
  const { data } = await call('sales_report', { group_by: 'country' });
  expect(data.coverage).toMatchObject({ complete: false });
  expect(row(data.coverage).stopped).toContain('although the API says that more follow: a link to the next page');
});

test('a topic whose post shows comments is not unanswered', async () => {
  const plain = await (await start()).call('community_digest', { period: 'all_time' });
  const { call } = await start({ post: (shown) => ({ ...shown, comments_count: 2 }) });
  const { data } = await call('community_digest', { period: 'all_time' });
  expect(row(plain.data.totals).unanswered).toBeGreaterThan(0);
  expect(row(data.totals).unanswered).toBe(0);
});

const unseen: Row[] = [
  { published_at: new Date(Date.now() + 86_400_000).toISOString() },
  { is_draft: true },
  { status: 'pending_review' },
  { deleted_at: '2026-01-01T00:00:00Z' },
  { is_hidden: 1 },
  { visible: false },
];

test.for(unseen)('posts with %o are left out of a digest and counted separately', async (fields) => {
  const { academy, call } = await start({
    post: (shown, { id }) => ({ ...shown, is_hidden: 0, deleted_at: null, ...(id % 10 === 1 ? fields : {}) }),
  });
  const hidden = academy.state.posts.filter(({ id }) => id % 10 === 1).length;
  const { first, data } = await call('community_digest', { period: 'all_time' });
  expect(row(data.totals)).toMatchObject({ posts: academy.state.posts.length - hidden, not_published: hidden });
  expect(first).toContain(`; ${hidden} posts not published, left out`);
});

test('two ids with one title are said, and so is one id with two titles', async () => {
  const titled = (title: (id: number, number: number) => string | undefined): Rules => ({
    order: (shown, { number }) => ({
      ...shown,
      courses: (Array.isArray(shown.courses) ? shown.courses : []).map((one: { id: number; title: string }) => ({
        ...one,
        title: title(one.id, number) ?? one.title,
      })),
    }),
  });
  const again = await start(titled((id) => (id === 11 || id === 12 ? 'Sourdough' : undefined)));
  const { data } = await again.call('sales_report', { product: '11', product_type: 'course' });
  expect(data.note).toContain('course 11 and course 12 have one title and are counted separately');
  const structured = row(data.coverage).title_conflicts;
  expect(structured).toEqual(['course 11 and course 12 have one title and are counted separately']);
  const renamed = await start(titled((id, number) => (id === 11 && number % 2 === 0 ? 'Old name' : undefined)));
  const sales = await renamed.call('find_buyers', { product: '11', product_type: 'course' });
  expect(sales.data.note).toContain('course 11 has 2 titles in these orders');
  for (const [tool, args] of [
    ['course_progress', { course_id: 11 }],
    ['unpaid_orders', { product: '11', product_type: 'course' }],
  ] as const) {
    const { data: asked } = await renamed.call(tool, args);
    expect(row(asked.coverage).title_conflicts).toEqual(['course 11 has 2 titles in these orders']);
    expect(asked.note).toContain('course 11 has 2 titles in these orders');
  }
});

test('counted orders that list no product are named in every grouping', async () => {
  const { call } = await start({
    seed: ({ orders }) => {
      for (const order of orders)
        if (order.number % 7 === 0) Object.assign(order, { courses: [], bundles: [], digitals: [] });
    },
  });
  for (const group_by of ['product', 'country', 'month']) {
    const { data } = await call('sales_report', { group_by });
    expect(data.note).toMatch(/\d+ counted orders list no product/);
  }
});
