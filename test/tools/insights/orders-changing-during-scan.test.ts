import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import type { Act } from '../../reliability/fault-server.ts';
import { at, row, rows } from '../../support/academy.ts';
import { addOrder, altering, down } from '../../support/arrange.ts';
import { connect, type ToolAnswer } from '../../support/connect.ts';
import { startBetween } from '../../support/guarded.ts';
import { buyers, counted, type RawOrder, rawOrders, sums } from '../../support/sales.ts';
import { start } from '../../support/sandbox.ts';

const course = { product: '7', product_type: 'course', limit: 500 };

async function startScan() {
  const started = await startBetween({ students: 150, orders: 900 });
  /** Applies a fault to a page of orders, by default once. */
  const onPage = (page: number, fault: Act, times = 1) =>
    started.between.arm({ name: `page ${page}`, fault, times, match: (_method, path) => isPage({ path }, page) });
  return { ...started, onPage };
}

/** Somebody buys course 7 at a moment. */
const buy = (sandbox: Sandbox, created_at: number) =>
  void addOrder(sandbox, at(sandbox.academy.students.all(), 5), { created_at, courses: [7] });

const isPage = ({ path }: { path: string }, page: number) => new RegExp(`[?&]page=${page}(&|$)`).test(path);

/** Something happens in the academy just before a page of orders is answered. */
function before(happen: () => void): Act {
  return {
    at: 'body',
    act: async ({ answer, work }) => {
      happen();
      answer(await work());
    },
  };
}

/** The orders of course 7 before a moment. */
async function keptIn(sandbox: Sandbox, to = Date.now()): Promise<RawOrder[]> {
  return counted(await rawOrders(sandbox), { to, list: 'courses', id: 7 }).kept;
}

function expectWhole({ structured, text }: ToolAnswer, orders: readonly RawOrder[]): void {
  expect(structured?.totals, text).toMatchObject({ orders: orders.length, buyers: buyers(orders).length });
  expect(row(structured?.coverage).complete).toBe(true);
}

test('an order placed while pages are read is not in the answer and shifts nothing', async () => {
  const { sandbox, onPage, call } = await startScan();
  const expected = await keptIn(sandbox);
  const fault = before(() => buy(sandbox, Date.now() + 1_000));
  onPage(2, fault);
  expectWhole(await call('find_buyers', course), expected);
});

test('a busy day after the period, with one more order while pages are read, changes nothing', async () => {
  const { sandbox, onPage, call } = await startScan();
  const to = Date.now() - 12 * 3_600_000;
  for (let index = 0; index < 250; index += 1) buy(sandbox, Date.now() - 3_600_000 + index * 1_000);
  const fault = before(() => buy(sandbox, Date.now()));
  const arrival = onPage(3, fault);
  const asked = { ...course, created_before: new Date(to).toISOString() };
  const answer = await call('find_buyers', asked);
  const expected = await keptIn(sandbox, to);
  expect(arrival.consumed()).toBe(1);
  expectWhole(answer, expected);
});

test('an order that appears within the period while pages are read is in the answer', async () => {
  const { sandbox, onPage, call } = await startScan();
  const fault = before(() => buy(sandbox, Date.now() - 60_000));
  const arrival = onPage(3, fault);
  const answer = await call('find_buyers', { ...course, max_requests: 60 });
  const expected = await keptIn(sandbox);
  expect(arrival.consumed()).toBe(1);
  expectWhole(answer, expected);
});

/** Takes a paid order off the list, by default the newest, and so moves every order behind it up. */
function leaving({ academy: { orders } }: Sandbox, place = 1): () => void {
  const paid = () => orders.all().filter(({ status }) => status === 'paid');
  return () => Object.assign(paid().at(-place) ?? {}, { status: 'failed' });
}

test('one order that leaves while another comes makes the tool read the list again', async () => {
  const { sandbox, between, onPage, call } = await startScan();
  const leave = leaving(sandbox);
  const fault = before(() => {
    leave();
    buy(sandbox, Date.now() + 1_000);
  });
  const change = onPage(6, fault);
  const to = Date.now();
  const answer = await call('find_buyers', { ...course, max_requests: 60 });
  const expected = await keptIn(sandbox, to);
  expect(change.consumed()).toBe(1);
  expectWhole(answer, expected);
  const paid = between.log.filter(({ path }) => path.includes('status=paid'));
  expect(paid.filter((entry) => isPage(entry, 1))).toHaveLength(4);
});

test('without a total, an order that comes makes the tool read the list again once', async () => {
  const { sandbox, between, onPath, call } = await startScan();
  const leave = leaving(sandbox, 250);
  let isBought = false;
  const fault: Act = {
    at: 'body',
    act: async ({ answer, work, request }) => {
      if (!isBought && isPage(request, 6)) {
        isBought = true;
        leave();
        leave();
        buy(sandbox, Date.now() - 60_000);
      }
      const done = await work();
      const { meta: _meta, ...body } = row(JSON.parse(done.body));
      answer({ ...done, body: JSON.stringify(body) });
    },
  };
  onPath('status=paid', fault);
  const { structured, text } = await call('find_buyers', { ...course, max_requests: 60 });
  const expected = await keptIn(sandbox);
  expect(structured?.totals, text).toMatchObject({ orders: expected.length });
  const paid = between.log.filter(({ path }) => path.includes('status=paid'));
  expect(paid.filter((entry) => isPage(entry, 1))).toHaveLength(4);
});

test('a list that keeps losing orders is not called complete', async () => {
  const { sandbox, onPage, call } = await startScan();
  onPage(3, before(leaving(sandbox)), 50);
  const { structured, text } = await call('find_buyers', { ...course, max_requests: 100 });
  expect(text).toMatch(/^Incomplete/);
  expect(row(structured?.coverage)).toMatchObject({ complete: false, stopped: expect.stringContaining('changed') });
});

test('a list of several pages that does not change costs one more request', async () => {
  const { between, call } = await startScan();
  const { structured, text } = await call('sales_report', {});
  const orders = between.log.filter(({ path }) => path.includes('/orders?'));
  const pages = new Set(orders.map(({ path }) => path)).size;
  expect(orders, text).toHaveLength(pages + 1);
  expect(row(structured?.coverage)).toMatchObject({ complete: true, requests_spent: orders.length });
});

test('an order listed twice counts once, an order at the first moment counts, and an order outside the filters does not', async () => {
  const { sandbox, between, call } = await startScan();
  const end = new Date(Date.now() - 86_400_000).toISOString();
  const beginning = new Date(Date.parse(end) - 300 * 86_400_000).toISOString();
  const period = { from: Date.parse(beginning), to: Date.parse(end) };
  const { kept } = counted(await rawOrders(sandbox), { ...period, list: 'courses', id: 7 });
  const sold = at(kept, 0);
  const first = { ...sold, id: 'at-the-beginning', created_at: beginning };
  const strange = [
    { ...sold, id: 'not-paid', status: 'pending' },
    { ...sold, id: 'at-the-end', created_at: end },
  ];
  const odd = [sold, first, ...strange];
  const expected = [...kept, first];
  const fault = altering((body) => ({ ...body, orders: [...rows(body.orders), ...odd] }));
  const match = (_method: string, path: string) => path.includes('status=paid') && isPage({ path }, 1);
  const altered = between.arm({ name: 'odd orders', fault, match, times: 1 });
  const { structured, text } = await call('find_buyers', { ...course, created_after: beginning, created_before: end });
  expect(altered.consumed()).toBe(1);
  expect(structured?.totals, text).toMatchObject({ orders: expected.length, order_total: sums(expected) });
});

test('if the API fails midway the answer has the rows so far, and its cursor continues', async () => {
  const { sandbox, between, onPage, call } = await startScan();
  const expected = await keptIn(sandbox);
  const outage = onPage(4, down, 50);
  const first = await call('find_buyers', course);
  expect(first.isError, first.text).toBe(false);
  expect(first.text).toMatch(/^Incomplete/);
  expect(row(first.structured?.coverage)).toMatchObject({
    complete: false,
    stopped: expect.stringContaining('api_unavailable'),
  });
  outage.disarm();
  const pages = between.log.length;
  const second = await call('find_buyers', { ...course, cursor: first.structured?.next_cursor });
  expect(second.structured?.totals, second.text).toMatchObject({ orders: expected.length });
  // What the first part had read was not read again, save the first page after all others.
  const again = between.log.slice(pages).filter((entry) => isPage(entry, 1) || isPage(entry, 2));
  expect(again).toHaveLength(1);
});

test('if the rate limit is used up, the partial answer is returned at once', async () => {
  const sandbox = await start({ students: 150, orders: 900, rateLimit: 6 });
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: '6', ACADEMY_MAX_WAIT_MS: '1000' };
  const { call } = await connect(settings);
  const { text, structured } = await call('find_buyers', course);
  expect(text).toMatch(/^Incomplete/);
  expect(row(structured?.coverage)).toMatchObject({
    complete: false,
    stopped: expect.stringContaining('rate_limited'),
  });
  expect(structured?.next_cursor).toEqual(expect.any(String));
});
