import { expect, test } from 'vitest';
import { type Row, row, rows } from '../support/academy.ts';
import { startExports } from '../support/exports.ts';
import { start } from '../support/sandbox.ts';
import { add, ask, open } from './open-store.ts';
import { startRewriting } from './rewriting.ts';
import { connectMirror, rowsOf, startMirror, whenFilled } from './start-mirror.ts';

const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

test('a statement sees within some seconds what was written without a renewal', async () => {
  const store = await open();
  const count = async () => (await ask(store, 'SELECT count(*) FROM orders')).rows;
  expect(await count()).toEqual([[0]]);
  await add(store, 'a');
  await expect.poll(count, { timeout: 20_000, interval: 500 }).toEqual([[1]]);
});

test('one statement of a caller runs and two wait, and the next one is refused', async () => {
  const academy = await startMirror();
  const asked = Array.from({ length: 5 }, () => academy.call('query_data', { sql: endless }));
  const texts = (await Promise.all(asked)).map(({ text }) => text);
  expect(texts.filter((text) => /^invalid_input: the statement ran longer than 2 s/.test(text))).toHaveLength(3);
  expect(texts.filter((text) => /^rate_limited: 2 of your statements wait already/.test(text))).toHaveLength(2);
});

test('a caller with endless exports does not hold up the statement of another', async () => {
  const academy = await startExports();
  const { call } = await academy.another({ caller: 'other' });
  const ended: string[] = [];
  const exports = [1, 2].map(async (number) => {
    const { text } = await academy.call('export_data', { sql: endless });
    ended.push(`export ${number}`);
    return text;
  });
  while (!ended.includes('export 2')) {
    const { structured } = await call('query_data', { sql: 'SELECT 1 AS one' });
    expect(structured?.rows).toEqual([{ one: 1 }]);
    ended.push('query');
  }
  expect(ended.join(', ')).toContain('export 1, query, export 2');
  for (const text of await Promise.all(exports)) expect(text).toContain('while others wait');
});

/** 60 requests a minute, of which the program uses 54, and the mirror at most 16 while nobody else does. */
const limited = { ACADEMY_RATE_LIMIT: '60' };
const left = 54 - 16;

test('filling leaves the rest of the budget to people, who then wait for nothing, and there is no 429', async () => {
  const academy = await startMirror({ rateLimit: 60, students: 2_000, orders: 3_000 }, limited);
  const { call, log } = academy;
  // describe_data sends no request: its budget is what the mirror has left.
  const remaining = async () => {
    const { remaining: now } = (await call('describe_data')).meta['academy/budget'] as { remaining: number };
    return now;
  };
  await expect.poll(remaining, { timeout: 25_000, interval: 200 }).toBe(left);
  const seen = [];
  for (let count = 0; count < 20; count += 1) seen.push(await remaining());
  expect(new Set(seen)).toEqual(new Set([left]));
  const pages = Array.from({ length: left }, (_, index) => call('list_students', { page: index + 1 }));
  const answers = await Promise.all(pages);
  expect(answers.map(({ meta }) => (meta['academy/budget'] as { waited_s: number }).waited_s)).toEqual(
    pages.map(() => 0),
  );
  expect(await remaining()).toBe(0);
  expect(log.filter((line) => line.includes('"status":429'))).toEqual([]);
});

/** An academy whose lists are others than the document says, and a client of a server with a mirror of it. */
async function startOdd(odd: Parameters<typeof startRewriting>[3]) {
  const sandbox = await start({ rateLimit: 'off', students: 40, orders: 250 });
  const ACADEMY_BASE_URL = await startRewriting(sandbox.url, {}, undefined, odd);
  return await connectMirror({ ACADEMY_BASE_URL });
}

const countOrders = 'SELECT count(*) AS n FROM orders';

test('lists of an API without totals are filled, and never called complete', async () => {
  const academy = await startOdd({ answers: ({ meta: _, ...body }) => body });
  for (const what of ['orders', 'students']) {
    const { structured, text } = await academy.call('refresh_data', { what });
    expect(structured, text).toMatchObject({ finished: false, coverage: { complete: false } });
    expect(text).toContain('the API gives no total');
  }
  expect(await rowsOf(academy, countOrders)).toEqual([{ n: 250 }]);
});

test('a platform that ignores the bounds of a period has shown all of its orders at once', async () => {
  const academy = await startOdd({ asks: (path) => path.replace(/&?created_(after|before)=[^&]*/g, '') });
  await whenFilled(academy);
  expect(await rowsOf(academy, countOrders)).toEqual([{ n: 250 }]);
  const { structured, text } = await academy.call('refresh_data');
  expect(structured, text).toMatchObject({ finished: true, coverage: { complete: true } });
});

const lists = [
  ['students', '/students', 'students', 'total_students'],
  ['catalog', '/courses', 'courses', 'total_courses'],
] as const;

test.each(lists)('a row of %s that one reading lacks stays, and goes if two lack it', async (what, end, key, total) => {
  let lacking = 0;
  const answers = (body: Row, path: string) => {
    if (!new URL(path, 'http://localhost').pathname.endsWith(end) || lacking === 0) return body;
    lacking -= 1;
    const meta = row(body.meta ?? {});
    return { ...body, [key]: rows(body[key]).slice(1), meta: { ...meta, [total]: Number(meta[total]) - 1 } };
  };
  const academy = await startOdd({ answers });
  await whenFilled(academy);
  const count = async () => (await rowsOf(academy, `SELECT count(*) AS n FROM ${key}`))[0]?.n;
  const all = Number(await count());
  for (const [times, left] of [
    [1, all],
    [2, all - 1],
    [0, all],
  ] as const) {
    lacking = times;
    const { structured, text } = await academy.call('refresh_data', { what });
    expect(structured, text).toMatchObject({ finished: true });
    expect(await count(), `lacked ${times} times`).toBe(left);
  }
});
