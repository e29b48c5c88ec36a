import { request } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createDemoContext } from '../../src/cli/demo/connection.ts';
import { checkBuyers } from '../../src/cli/demo/steps.ts';
import { serveViews } from '../../src/cli/demo.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { buyers, counted, rawOrders } from '../support/sales.ts';

const courseId = 6;

test('a wrong count, a missing, a second or another buyer is detected', async () => {
  const sandbox = await startSandbox({ students: 40, orders: 300 });
  onTestFinished(() => sandbox.close());
  const to = Date.now() + 60_000;
  const { kept, granted } = counted(await rawOrders(sandbox), { to, list: 'courses', id: courseId });
  const rows = buyers(kept).map((email) => ({ email: email.toUpperCase() }));
  const totals = { orders: kept.length, granted_excluded: granted };
  const period = { from: new Date(0).toISOString(), to: new Date(to).toISOString() };
  const answer = { product: { id: courseId }, period, totals, buyers: rows };
  const call = () => Promise.reject(new Error('the server is not asked'));
  const { signal } = new AbortController();
  const demo = createDemoContext({ connection: { call }, sandbox, stdout: new PassThrough(), signal });
  expect(rows.length).toBeGreaterThan(5);
  expect(granted).toBeGreaterThan(0);
  expect(await checkBuyers(demo, answer)).toBe(300);
  for (const wrong of [
    { ...answer, buyers: rows.slice(1) },
    { ...answer, buyers: [...rows, ...rows.slice(0, 1)] },
    { ...answer, totals: { orders: kept.length + granted, granted_excluded: 0 } },
    { ...answer, product: { id: courseId + 1 } },
  ]) {
    await expect(checkBuyers(demo, wrong)).rejects.toThrow('the raw orders hold');
  }
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
