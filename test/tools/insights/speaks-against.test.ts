import { expect, onTestFinished, test } from 'vitest';
import type { Rules } from '../../odd/academy/rules.ts';
import { startOddAcademy } from '../../odd/academy/server.ts';
import { listSwitches } from '../../odd/switches/lists.ts';
import { markSwitches } from '../../odd/switches/reads-meaning.ts';
import type { Switch } from '../../odd/switches/switch.ts';
import { connectInMemory } from '../../reliability/in-memory.ts';
import { type Row, row } from '../../support/academy.ts';

// What an answer of the API shows against the count that a tool would make of it.

async function start(...rules: Rules[]) {
  const academy = await startOddAcademy(rules);
  onTestFinished(academy.close);
  const settings = { ACADEMY_RATE_LIMIT: 'off', ACADEMY_BASE_URL: academy.url, ACADEMY_API_KEY: academy.key };
  const program = await connectInMemory({ settings, app: { pace: 0.01 } });
  onTestFinished(program.close);
  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    const { text, data } = await program.call(tool, args);
    return { first: text.split('\n')[0] ?? '', data: row(data ?? {}) };
  };
  return { academy, call };
}

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
