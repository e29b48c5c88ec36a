import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { dataTools, tools } from '../../tools/index.ts';
import { connect } from '../support/connect.ts';
import { start, temporaryFile } from '../support/sandbox.ts';
import { whenFilled } from './start-mirror.ts';

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
