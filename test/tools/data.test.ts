import { encode } from 'gpt-tokenizer';
import { expect, test } from 'vitest';
import { exampleQueries } from '../../tools/data/example-queries.ts';
import { dataTools, tools } from '../../tools/index.ts';
import { rowsOf, startMirror, whenFilled } from '../mirror/start-mirror.ts';
import { startAcademy } from '../support/connect.ts';
import { temporaryFolder } from '../support/sandbox.ts';

const names = dataTools.map(({ name }) => name);

test('the data tools are listed, after all others, only if the mirror is on', async () => {
  const off = await startAcademy();
  expect((await off.client.listTools()).tools.map(({ name }) => name)).not.toContain('query_data');
  await expect(off.client.callTool({ name: 'query_data', arguments: { sql: 'SELECT 1' } })).rejects.toThrow(
    'Unknown tool',
  );
  const on = await startMirror();
  const listed = (await on.client.listTools()).tools.map(({ name }) => name);
  expect(listed).toEqual([...tools.map(({ name }) => name), ...names]);
});

test('describe_data shows every table and fits in 1,500 tokens, in both forms', async () => {
  const academy = await startMirror();
  await whenFilled(academy);
  const { text, structured } = await academy.call('describe_data');
  expect(text).toMatch(/^Orders complete \(400\); /);
  for (const table of ['orders', 'order_items', 'sales', 'holdings', 'students', 'completions', 'posts', 'sync']) {
    expect(text).toContain(`\n${table}: `);
  }
  expect(text).toContain('counts an order with several products several times');
  expect(encode(text).length).toBeLessThan(1_500);
  expect(encode(JSON.stringify(structured)).length).toBeLessThan(1_500);
});

test('each example of describe_data and of the data tools runs', async () => {
  const academy = await startMirror({}, { ACADEMY_EXPORT_DIR: await temporaryFolder() });
  await whenFilled(academy);
  for (const { sql } of exampleQueries) await rowsOf(academy, sql);
  for (const { name, example } of dataTools) expect((await academy.call(name, example)).isError, name).toBe(false);
});

test('an answer begins with what the mirror covers', async () => {
  const academy = await startMirror();
  await whenFilled(academy);
  const { text, structured } = await academy.call('query_data', { sql: 'SELECT count(*) AS n FROM students' });
  expect(text).toMatch(/^Students complete \(120\); as of 20\d\d-.*Z\. 1 row\.\n/);
  expect(structured).toMatchObject({
    coverage: { complete: true, tables: { students: 'complete (120)' } },
    rows: [{ n: 120 }],
  });
  expect(JSON.stringify(structured).indexOf('coverage')).toBe(2);
});

test('more rows than max_rows are announced', async () => {
  const academy = await startMirror();
  await whenFilled(academy);
  const { text, structured } = await academy.call('query_data', { sql: 'SELECT id FROM students', max_rows: 3 });
  expect(text).toContain('3 of more rows: narrow it');
  expect(structured).toMatchObject({ more: true });
  expect(structured?.rows).toHaveLength(3);
  expect((await academy.call('query_data', { sql: 'SELECT 1', max_rows: 201 })).text).toContain('from 1 to 200');
});

test('an unknown column or table gets a suggestion', async () => {
  const academy = await startMirror();
  const answer = async (sql: string) => (await academy.call('query_data', { sql })).text;
  expect(await answer('SELECT emial FROM orders')).toContain('no such column: emial.\nHint: Did you mean email');
  expect(await answer('SELECT o.product FROM order_items o')).toContain('Did you mean product_id');
  expect(await answer('SELECT zzz FROM bundles')).toContain('The columns of bundles are id, title.');
  expect(await answer('SELECT * FROM order')).toContain('invalid_input');
  expect(await answer('SELECT * FROM order_item')).toContain('Did you mean order_items');
  expect(await answer('DELETE FROM orders')).toContain('DELETE is not allowed');
  const hidden = 'SELECT em\u202eail\u200b FROM orders';
  expect(await answer(hidden)).toMatch(/^invalid_input: no such column: email\.\n/);
});

test('what members wrote is fenced, and names stay one line', async () => {
  const academy = await startMirror();
  await whenFilled(academy);
  const { text, structured } = await academy.call('query_data', {
    sql: 'SELECT id, upper(content) AS loud FROM posts LIMIT 1',
  });
  const [row] = (structured?.rows ?? []) as { untrusted?: { loud?: string } }[];
  expect(row?.untrusted?.loud).toMatch(/[A-Z]/);
  expect(text.indexOf('<untrusted-data-')).toBeLessThan(text.indexOf(String(row?.untrusted?.loud).slice(0, 20)));
  const sql =
    "SELECT 'a' || char(10, 8203) || 'b' AS lines, printf('%.*c', 900, 'x') AS long, 'x' || char(8203) || 'y' AS hidden";
  const answer = await academy.call('query_data', { sql });
  expect(answer.structured?.rows).toEqual([{ hidden: 'xy', untrusted: { lines: 'a\nb', long: 'x'.repeat(900) } }]);
});

test('refresh_data takes since for orders only', async () => {
  const academy = await startMirror();
  const { text } = await academy.call('refresh_data', { what: 'students', since: '2026-01-01' });
  expect(text).toContain('since applies to orders only');
});
