import { expect, test } from 'vitest';
import { RateLimitedError } from '../../src/shared/errors.ts';
import { sharedByTests } from '../support/at-end.ts';
import { temporaryFile } from '../support/sandbox.ts';
import { add, ask, besideOf, open, saveFile } from './open-store.ts';
import { startMirror } from './start-mirror.ts';

const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
/** Searching a long text in a long one is a single step: nothing interrupts it but the end of the thread. */
const search = "instr(printf('%.*c', 29000, 'a'), printf('%.*c', 14000, 'a') || 'b')";
const stuck = `SELECT ${Array.from({ length: 95 }, () => search).join(' + ')}`;

const messageOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    (error: Error) => error.message,
  );

/** For tests that write nothing. */
const opened = sharedByTests(() => open(undefined, {}, { graceMs: 200, exportMs: 200 }));

test('callers take turns, and one of them has no more than two statements that wait', async () => {
  const store = await opened();
  const order: string[] = [];
  const asked = (caller: string, name: string, sql = 'SELECT 1') =>
    ask(store, sql, { caller, timeMs: 300 })
      .catch(() => {})
      .then(() => order.push(name));
  const all = [asked('a', 'a1', endless), asked('a', 'a2'), asked('a', 'a3')];
  await expect(ask(store, 'SELECT 1', { caller: 'a' })).rejects.toThrow(RateLimitedError);
  all.push(asked('b', 'b1'), asked('c', 'c1'), asked('b', 'b2'));
  await Promise.all(all);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a statement ends with its call, whether it runs or waits', async () => {
  const store = await opened();
  const [runs, waits] = [new AbortController(), new AbortController()];
  const running = messageOf(ask(store, endless, { signal: runs.signal, timeMs: 600_000 }));
  const waiting = messageOf(ask(store, 'SELECT 1', { signal: waits.signal }));
  const last = ask(store, 'SELECT 2', { caller: 'other' });
  waits.abort();
  expect(await waiting).toBe('the call was cancelled');
  // Not only while the snapshot is made.
  setTimeout(() => runs.abort(), 300);
  expect(await running).toBe('the call was cancelled');
  expect((await last).rows).toEqual([[2]]);
});

test('a statement that is stuck ends its thread alone: others are answered, and nothing is lost', async () => {
  const store = await open(undefined, {}, { graceMs: 200 });
  await add(store, 'a');
  const slow = messageOf(ask(store, stuck, { timeMs: 50 }));
  const other = ask(store, 'SELECT count(*) FROM orders', { caller: 'other' });
  expect(await slow).toBe('the statement ran longer than 0.05 s');
  expect((await other).rows).toEqual([[1]]);
  await add(store, 'b');
  expect(await store.read('SELECT count(*) FROM orders')).toEqual([[2]]);
});

test('a statement that is stuck ends soon after its call', async () => {
  const store = await opened();
  const call = new AbortController();
  const slow = messageOf(ask(store, stuck, { signal: call.signal, timeMs: 600_000 }));
  setTimeout(() => call.abort(), 500);
  expect(await slow).toBe('the call was cancelled');
  expect((await ask(store, 'SELECT 1')).rows).toEqual([[1]]);
});

test('an export ends after its share of the time if others wait', async () => {
  const store = await opened();
  const asking = { caller: 'one', signal: new AbortController().signal };
  const limits = { maxBytes: 1_000_000, timeMs: 600_000 };
  const exported = messageOf(store.callers.run('csv', { sql: endless, ...limits }, asking));
  const other = ask(store, 'SELECT 1', { caller: 'other' });
  expect(await exported).toBe('the statement ran longer than 0.2 s while others wait');
  expect((await other).rows).toEqual([[1]]);
});

test('a statement that takes much memory is refused, and the next one is answered', async () => {
  const store = await opened();
  const numbers = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)';
  const sql = `${numbers} SELECT count(*) FROM (SELECT DISTINCT x || printf('%.*c', 500, 'a') FROM n)`;
  expect(await messageOf(ask(store, sql, { timeMs: 60_000 }))).toContain('too much memory');
  expect((await ask(store, 'SELECT count(*) FROM orders')).rows).toEqual([[0]]);
});

test('a statement sees what was written before a renewal, and what is said of it is of the same rows', async () => {
  const store = await open();
  await add(store, 'a');
  const asked = async () => {
    const { rows, coverage } = await ask(store, 'SELECT count(*) FROM orders');
    return [rows[0]?.[0], coverage];
  };
  expect(await asked()).toEqual([1, 1]);
  await add(store, 'b');
  store.callers.renew();
  expect(await asked()).toEqual([2, 2]);
});

/** A second or so over 1,000 orders. */
const slowCount = `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000)
  SELECT count(*), count(DISTINCT orders.id) FROM n, orders`;
const thousand = Array.from({ length: 1_000 }, (_, index) => `order ${index}`);

test('a statement that runs sees none of the writes of that time', async () => {
  const store = await open();
  await add(store, ...thousand);
  const slow = ask(store, slowCount, { timeMs: 60_000 });
  for (let round = 0; round < 20; round += 1) await add(store, ...thousand.map((id) => `${id} of ${round}`));
  // It began before the first write, or after one.
  const [[rows, ids] = []] = (await slow).rows;
  expect([Number(ids) % 1_000, rows]).toEqual([0, Number(ids) * 1_000]);
});

test('statements that run or wait when the program ends say so', async () => {
  const store = await open();
  await ask(store, 'SELECT 1');
  const running = messageOf(ask(store, endless, { timeMs: 600_000 }));
  const waiting = messageOf(ask(store, 'SELECT 1'));
  await store.callers.close();
  expect(await Promise.all([running, waiting])).toEqual(['the server is stopping', 'the server is stopping']);
  expect(await messageOf(ask(store, 'SELECT 1'))).toBe('the server is stopping');
});

test('several reads of one state wait for no statement, and no write comes between them', async () => {
  const store = await open();
  await add(store, 'a');
  const count = 'SELECT count(*) FROM orders';
  let written = false;
  const counts = await store.together(async (read) => {
    const first = await read(count);
    void add(store, 'b').then(() => {
      written = true;
    });
    return [first, await read(count), await read(count)];
  });
  expect(counts.flat(2)).toEqual([1, 1, 1]);
  await expect.poll(() => written).toBe(true);
  expect(await store.read(count)).toEqual([[2]]);
});

test.for(['a statement of a caller', 'one of our own'])(
  'a database that %s finds damaged is lost, and its file is set aside',
  async (who) => {
    const path = await temporaryFile('mirror.db');
    // SQLite's own pages are wrong, the image is as it was saved.
    await saveFile(path, thousand, 'UPDATE sqlite_dbpage SET data = zeroblob(8192) WHERE pgno = 2');
    const second = await open(path);
    const reading =
      who === 'one of our own' ? second.read('SELECT * FROM orders') : ask(second, 'SELECT * FROM orders');
    await expect(reading).rejects.toThrow('was lost');
    await second.lost;
    expect(await besideOf(path)).toEqual(['.damaged-…']);
    await expect(second.read('SELECT 1')).rejects.toThrow('was lost');
  },
);

test('a statement leaves the queue when its call is cancelled', async () => {
  const academy = await startMirror({ students: 5, orders: 5 });
  const calls = Array.from({ length: 3 }, () => new AbortController());
  const asked = calls.map(({ signal }) =>
    academy.client.callTool({ name: 'query_data', arguments: { sql: endless } }, undefined, { signal }),
  );
  for (const call of calls) call.abort();
  await Promise.allSettled(asked);
  // Behind one that runs and two that wait, these would be refused.
  const next = await Promise.all([1, 2].map((n) => academy.call('query_data', { sql: `SELECT ${n} AS n` })));
  expect(next.map(({ structured }) => structured?.rows)).toEqual([[{ n: 1 }], [{ n: 2 }]]);
});
