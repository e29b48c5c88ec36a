import { request } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { chooseMove, orderAfter, orderOf, structure } from '../../src/cli/demo/changes.ts';
import { createDemoContext } from '../../src/cli/demo/connection.ts';
import { checkAgainstRaw, coursesIn, type FoundBuyers } from '../../src/cli/demo/sales.ts';
import { serveViews } from '../../src/cli/demo.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { buyers, counted, type RawOrder, rawOrders, sums } from '../support/sales.ts';

const courseId = 6;

function answerOf(orders: readonly RawOrder[], granted: number, to: number): FoundBuyers {
  const rows = buyers(orders).map((email) => {
    const own = orders.filter(({ user_email }) => user_email.toLowerCase() === email);
    return { email: email.toUpperCase(), orders: own.length, amount: sums(own) };
  });
  return {
    product: { id: courseId },
    period: { from: new Date(0).toISOString(), to: new Date(to).toISOString() },
    totals: { buyers: rows.length, orders: orders.length, granted_excluded: granted, order_total: sums(orders) },
    buyers: rows,
    coverage: { complete: true },
  };
}

/** An academy, and all buyers of one course, counted from its raw orders. */
async function academy() {
  const sandbox = await startSandbox({ students: 40, orders: 300 });
  onTestFinished(() => sandbox.close());
  const to = Date.now() + 60_000;
  const { kept, granted } = counted(await rawOrders(sandbox), { to, list: 'courses', id: courseId });
  const call = () => Promise.reject(new Error('the server is not asked'));
  const { signal } = new AbortController();
  const demo = createDemoContext({ connection: { call }, sandbox, stdout: new PassThrough(), signal });
  const check = (answer: FoundBuyers) => checkAgainstRaw(demo, answer);
  return { answer: answerOf(kept, granted, to), check };
}

test('a correct answer agrees with the raw orders', async () => {
  const { answer, check } = await academy();
  expect(answer.totals.orders).toBeGreaterThan(5);
  expect(answer.totals.granted_excluded).toBeGreaterThan(0);
  expect(await check(answer)).toBe(300);
});

test('a missing, duplicate, changed or incomplete answer is detected', async () => {
  const { answer, check } = await academy();
  const { totals, buyers: rows } = answer;
  const [first, ...others] = rows;
  if (first === undefined) throw new Error('the seeded data hold no purchase');
  for (const wrong of [
    { ...answer, buyers: others },
    { ...answer, buyers: [...rows, first] },
    { ...answer, buyers: [{ ...first, orders: first.orders + 1 }, ...others] },
    { ...answer, buyers: [{ ...first, amount: { USD: '1.00' } }, ...others] },
    { ...answer, totals: { ...totals, granted_excluded: 0, orders: totals.orders + totals.granted_excluded } },
    { ...answer, totals: { ...totals, order_total: { USD: '1.00' } } },
    { ...answer, product: { id: courseId + 1 } },
    { ...answer, coverage: { complete: false } },
  ]) {
    await expect(check(wrong)).rejects.toThrow('the raw orders hold');
  }
});

const lesson = (id: number) => ({ id, title: `Lesson ${id}` });

const course = structure.parse({
  modules: [
    { id: 1, title: 'Start', lessons: [lesson(11)] },
    { id: 2, title: 'Middle', lessons: [lesson(21), lesson(22)] },
    { id: 12, title: 'Empty' },
  ],
  ungrouped_lessons: [lesson(31)],
});

test('the last lesson of the first module with several goes after the first lesson of another list', () => {
  const { lesson, to, position } = chooseMove(course);
  expect([lesson.id, to.moduleId, position]).toEqual([22, 1, 2]);
});

test('the order after a move has the lesson only in its new place', () => {
  expect(orderOf(course)).toEqual([[11], [21, 22], [], [31]]);
  expect(orderAfter(course, chooseMove(course))).toEqual([[11, 22], [21], [], [31]]);
});

const groups = ['bundle 1', 'course 12', 'digital_product 2', 'course 1', 'none', 'course 3', 'course 4'].map(
  (key) => ({
    key,
    label: `Title of ${key}`,
  }),
);

test('the courses of a report keep its order, without bundles and downloads', () => {
  expect(coursesIn(groups).map(({ id }) => id)).toEqual([12, 1, 3, 4]);
  expect(coursesIn(groups)[0]?.title).toBe('Title of course 12');
});

/** The status of a request for a path that is sent as it is. */
function statusOf(url: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

test('the server of the views answers 404 to paths that are no URL, and goes on', async () => {
  const none = () => Promise.reject(new Error('not asked for'));
  const connection = { call: none, readView: none };
  const server = await serveViews({ connection, hostPage: async () => 'the page' }, 0);
  onTestFinished(() => server.close());
  expect(await statusOf(server.url, '//')).toBe(404);
  expect(await statusOf(server.url, '//:x/')).toBe(404);
  expect(await (await fetch(server.url)).text()).toBe('the page');
});
