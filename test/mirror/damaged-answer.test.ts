import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { dataTools, tools } from '../../tools/index.ts';
import { connect } from '../support/connect.ts';
import { start, temporaryFile } from '../support/sandbox.ts';
import { add, besideOf, open } from './open-store.ts';
import { rowsOf, whenFilled } from './start-mirror.ts';

test('an answer claims to cover only what the database that it was read from covers', async () => {
  const sandbox = await start({ rateLimit: 'off', students: 20, orders: 400 });
  const file = await temporaryFile('mirror.db');
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_MIRROR: file };
  const offered = [...tools, ...dataTools];
  const filler = await connect(settings, { offered });
  await whenFilled(filler);
  const sql = 'SELECT created_at, amount FROM orders ORDER BY id';
  const { structured } = await filler.call('query_data', { sql, max_rows: 1 });
  const [{ created_at } = {}] = (structured?.rows ?? []) as { created_at?: string }[];
  const reader = await connect(settings, { offered });
  // The reader reads what the other one has saved.
  await whenFilled(reader);
  const bytes = await readFile(file);
  const at = bytes.indexOf(String(created_at));
  expect(at).toBeGreaterThan(0);
  bytes[at] = 'x'.charCodeAt(0);
  await writeFile(file, bytes);
  const answer = await reader.call('query_data', { sql: 'SELECT count(amount) AS orders FROM orders' });
  // Counting reads no damaged page, but the statement does.
  expect(answer.structured).toMatchObject({ rows: [{ orders: 0 }], coverage: { complete: false } });
  expect(answer.text).toMatch(/^Orders 0 so far; nothing read yet\. 1 row\./);
});

test('a copy that turns out to be damaged is opened again and filled from the academy', async () => {
  const sandbox = await start({ rateLimit: 'off', students: 20, orders: 60 });
  const file = await temporaryFile('mirror.db');
  const before = await open(file, { baseUrl: new URL(sandbox.url).href });
  await add(before, 'not of the academy');
  // The image is as it was saved, but SQLite cannot read it.
  const wrong = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'orders'";
  await before.write([{ sql: wrong }]);
  await before.save();
  await before.close();
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_RATE_LIMIT: 'off', ACADEMY_MIRROR: file };
  const academy = await connect({ ...settings, ACADEMY_TIMEZONE: 'UTC' }, { offered: [...tools, ...dataTools] });
  await expect.poll(() => academy.call('describe_data').then(({ isError }) => isError)).toBe(false);
  await whenFilled(academy);
  expect(await rowsOf(academy, 'SELECT count(*) AS n FROM orders')).toEqual([{ n: 60 }]);
  expect(await besideOf(file)).toContain('.damaged-…');
});
