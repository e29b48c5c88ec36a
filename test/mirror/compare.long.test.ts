import { expect, onTestFinished, test, vi } from 'vitest';
import { handlers } from '../../src/sandbox/handlers/index.ts';
import { openWorld } from '../reliability/f23/world.ts';
import { row } from '../support/academy.ts';
import { call as request, start } from '../support/sandbox.ts';
import { startRewriting } from './rewriting.ts';
import { connectMirror, rowsOf, startFilled, startMirror, whenFilled } from './start-mirror.ts';

const countOrders = 'SELECT count(*) AS n FROM orders';

test('an order that vanished, of any age, is found by comparing the totals and removed', async () => {
  const academy = await startMirror();
  const world = openWorld(academy.sandbox);
  await whenFilled(academy);
  await world.change('vanish', 5, 0);
  const { text, structured } = await academy.call('refresh_data');
  expect(text).toMatch(/^Refreshed\. Orders complete \(399\); .*compared 20/);
  expect(structured).toMatchObject({ finished: true, coverage: { complete: true } });
  expect(await rowsOf(academy, countOrders)).toEqual([{ n: 399 }]);
});

test('a changed status of an old order is found by comparing the totals', async () => {
  const academy = await startMirror();
  const [oldest] = academy.sandbox.academy.orders.all();
  await whenFilled(academy);
  const world = openWorld(academy.sandbox);
  await world.change('status', 0, oldest?.status === 'failed' ? 1 : 2);
  expect((await academy.call('refresh_data')).text).toMatch(/^Refreshed\. Orders complete \(400\)/);
  const raw = oldest?.status;
  expect(await rowsOf(academy, `SELECT status FROM orders WHERE id = '${oldest?.id}'`)).toEqual([{ status: raw }]);
});

test('an order that is no longer listed stays until "not found" proves that it is gone', async () => {
  const academy = await startMirror();
  const world = openWorld(academy.sandbox);
  await whenFilled(academy);
  const { orders } = academy.sandbox.academy;
  await world.change('vanish', 5, 0);
  const { get } = orders;
  orders.get = () => {
    throw new Error('broken');
  };
  const doubtful = await academy.call('refresh_data');
  expect(doubtful.structured).toMatchObject({ finished: false, coverage: { complete: false } });
  expect(doubtful.text).toContain('the academy counts 399 orders, the copy has 400');
  const { text, structured } = await academy.call('query_data', { sql: countOrders });
  expect(text).not.toContain('Orders complete');
  expect(structured).toMatchObject({ coverage: { complete: false }, rows: [{ n: 400 }] });
  orders.get = get;
  expect((await academy.call('refresh_data')).text).toMatch(/^Refreshed\. Orders complete \(399\)/);
});

test('totals that ignore the status are compared for all orders alone', async () => {
  const list = handlers['orders.listOrders'];
  const odd: typeof list = (asked, at) => ({ ...list(asked, at), meta: list({ ...asked, status: 'all' }, at).meta });
  const spy = vi.spyOn(handlers, 'orders.listOrders').mockImplementation(odd);
  onTestFinished(() => spy.mockRestore());
  const academy = await startMirror();
  await whenFilled(academy);
  expect((await academy.call('refresh_data')).structured).toMatchObject({ finished: true });
});

test('somebody who no longer has completed everything leaves the table', async () => {
  const academy = await startFilled();
  const [one] = await rowsOf(academy, 'SELECT email FROM completions LIMIT 1');
  const [held] = await rowsOf(
    academy,
    `SELECT product_id AS course_id FROM holdings WHERE kind = 'course' AND email = '${one?.email}' LIMIT 1`,
  );
  await request(academy.sandbox, 'POST', '/api/v1/student/reset-course-progress', { ...held, email: one?.email });
  const { text, structured } = await academy.call('refresh_data', { what: 'completions' });
  expect(structured, text).toMatchObject({ finished: true, coverage: { complete: true } });
});

/** An academy, and a server whose clock the test moves. `orders` is what describe_data says of them. */
async function startWithClock() {
  const sandbox = await start({ rateLimit: 'off', students: 40, orders: 200 });
  const world = openWorld(sandbox);
  const clock = { shiftMs: 0 };
  const now = () => new Date(Date.now() + clock.shiftMs);
  const academy = await connectMirror({ ACADEMY_BASE_URL: sandbox.url }, { now });
  await whenFilled(academy);
  const coverage = async () => row(row((await academy.call('describe_data')).structured ?? {}).coverage ?? {});
  const orders = async () => row((await coverage()).tables ?? {}).orders;
  expect(await orders()).toBe('complete (200)');
  return { sandbox, world, clock, orders, call: academy.call };
}

test('the background compares the totals every ten minutes: another number makes the table incomplete until it is explained', async () => {
  const { sandbox, world, clock, orders, call } = await startWithClock();
  const { get } = sandbox.academy.orders;
  sandbox.academy.orders.get = () => {
    throw new Error('broken');
  };
  await world.change('vanish', 5, 0);
  clock.shiftMs = 11 * 60_000;
  await expect.poll(orders, { timeout: 25_000 }).toBe('200 of 199');
  expect((await call('query_data', { sql: countOrders })).text).not.toContain('Orders complete');
  sandbox.academy.orders.get = get;
  clock.shiftMs = 90 * 60_000;
  await expect.poll(orders, { timeout: 25_000 }).toBe('complete (199)');
});

test('posts that a whole reading lacks are missing until a whole reading shows them', async () => {
  const sandbox = await start({ rateLimit: 'off', students: 20, orders: 20 });
  let isBroken = true;
  const posts = (post: object) => (isBroken ? { ...post, id: 1 } : { ...post });
  const ACADEMY_BASE_URL = await startRewriting(sandbox.url, { posts });
  const academy = await connectMirror({ ACADEMY_BASE_URL });
  const first = await academy.call('refresh_data', { what: 'posts' });
  expect(first.structured).toMatchObject({ finished: false, coverage: { complete: false } });
  isBroken = false;
  const { structured } = await academy.call('refresh_data', { what: 'posts' });
  expect(structured).toMatchObject({ finished: true, coverage: { complete: true } });
});

test('the lessons of a course that the API refuses to show stay, and the table is not complete', async () => {
  const sandbox = await start({ rateLimit: 'off', students: 20, orders: 20 });
  let isRefused = false;
  const refuses = (path: string) => (isRefused && path.endsWith('/courses/1/lessons') ? 403 : undefined);
  const ACADEMY_BASE_URL = await startRewriting(sandbox.url, {}, refuses);
  const academy = await connectMirror({ ACADEMY_BASE_URL });
  await whenFilled(academy);
  const lessons = () => rowsOf(academy, 'SELECT count(*) AS n FROM lessons WHERE course_id = 1');
  const before = await lessons();
  expect(before).not.toEqual([{ n: 0 }]);
  isRefused = true;
  for (let reading = 0; reading < 3; reading += 1) {
    const { structured } = await academy.call('refresh_data', { what: 'structures' });
    expect([structured, await lessons()]).toMatchObject([{ coverage: { complete: false } }, before]);
  }
  isRefused = false;
  const { structured } = await academy.call('refresh_data', { what: 'structures' });
  expect(structured).toMatchObject({ finished: true, coverage: { complete: true } });
});
