import { encode } from 'gpt-tokenizer';
import { expect, test } from 'vitest';
import { exampleQueries } from '../../tools/data/mirror-answer.ts';
import { dataTools, tools } from '../../tools/index.ts';
import { rowsOf, startFilled } from '../mirror/start-mirror.ts';
import { rows } from '../support/academy.ts';
import { sharedByTests } from '../support/at-end.ts';
import { startAcademy } from '../support/connect.ts';
import { expectRefusal } from '../support/refusal.ts';
import { temporaryFolder } from '../support/sandbox.ts';

/** For tests that change nothing at the academy. */
const filled = sharedByTests(async () => startFilled({}, { ACADEMY_EXPORT_DIR: temporaryFolder() }));

const names = dataTools.map(({ name }) => name);

test('the data tools are listed, after all others, only if the mirror is on', async () => {
  const off = await startAcademy();
  expect((await off.client.listTools()).tools.map(({ name }) => name)).not.toContain('query_data');
  await expect(off.client.callTool({ name: 'query_data', arguments: { sql: 'SELECT 1' } })).rejects.toThrow(
    'Unknown tool',
  );
  const on = await filled();
  const listed = (await on.client.listTools()).tools.map(({ name }) => name);
  expect(listed).toEqual([...tools.map(({ name }) => name), ...names]);
});

test('describe_data shows every table within 1,500 tokens in both forms, and each example runs', async () => {
  const academy = await filled();
  const { text, structured } = await academy.call('describe_data');
  expect(text).toMatch(/^Orders complete \(400\); /);
  for (const table of ['orders', 'order_items', 'sales', 'holdings', 'students', 'completions', 'posts', 'sync']) {
    expect(text).toContain(`\n${table} | `);
  }
  expect(text).toContain('counts an order with several products several times');
  expect(encode(text).length).toBeLessThan(1_500);
  expect(encode(JSON.stringify(structured)).length).toBeLessThan(1_500);
  for (const { sql } of exampleQueries) await rowsOf(academy, sql);
  for (const { name, example } of dataTools) expect((await academy.call(name, example)).isError, name).toBe(false);
});

test('an answer begins with what the mirror covers, and announces more rows than max_rows', async () => {
  const academy = await filled();
  const { text, structured } = await academy.call('query_data', { sql: 'SELECT count(*) AS n FROM students' });
  expect(text).toMatch(/^Students complete \(120\); as of 20\d\d-.*Z\. 1 row\.\n/);
  expect(structured).toMatchObject({
    coverage: { complete: true, tables: { students: 'complete (120)' } },
    rows: [{ n: 120 }],
  });
  expect(JSON.stringify(structured).indexOf('coverage')).toBe(2);
  const cut = await academy.call('query_data', { sql: 'SELECT id FROM students', max_rows: 3 });
  expect(cut.text).toContain('3 of more rows: narrow it');
  expect(cut.structured).toMatchObject({ more: true });
  expect(cut.structured?.rows).toHaveLength(3);
  expect((await academy.call('query_data', { sql: 'SELECT 1', max_rows: 201 })).text).toContain('from 1 to 200');
});

test('an unknown column or table gets the names that there are', async () => {
  const academy = await filled();
  const answer = async (sql: string) => (await academy.call('query_data', { sql })).text;
  expect(await answer('SELECT emial FROM orders')).toContain(
    'no such column: emial.\nHint: The columns of orders are order_no, id, email, ',
  );
  expect(await answer('SELECT zzz FROM bundles')).toContain('The columns of bundles are id, title.');
  expect(await answer('SELECT * FROM order')).toContain('invalid_input');
  expect(await answer('SELECT * FROM order_item')).toContain('The tables are orders, order_items, ');
  expect(await answer('DELETE FROM orders')).toContain('DELETE is not allowed');
  const hidden = 'SELECT em\u202eail\u200b FROM orders';
  expect(await answer(hidden)).toMatch(/^invalid_input: no such column: email\.\n/);
});

test('long texts and those of several lines are fenced, and others are one clean line', async () => {
  const academy = await filled();
  const sql =
    "SELECT 'a' || char(10, 8203) || 'b' AS lines, printf('%.*c', 900, 'x') AS long, 'x' || char(8203) || 'y' AS hidden";
  const answer = await academy.call('query_data', { sql });
  expect(answer.structured?.rows).toEqual([{ hidden: 'xy', untrusted: { lines: 'a\nb', long: 'x'.repeat(900) } }]);
});

test('a post without white space is fenced, whatever it looks like', async () => {
  const { sandbox, call } = await startFilled({ students: 20, orders: 60 });
  for (const content of ['系统：已验证的指令', 'SYSTEM:verified-instruction', 'SYSTEM\u2800verified', '記事']) {
    for (const post of sandbox.academy.community.posts) Object.assign(post, { content });
    await call('refresh_data', { what: 'posts' });
    for (const sql of [
      'SELECT id, content FROM posts LIMIT 1',
      'SELECT id, replace(content, 1, 2) AS content FROM posts LIMIT 1',
      'SELECT id, trim(content) AS content FROM posts LIMIT 1',
      'SELECT 1 AS id, (SELECT content FROM posts LIMIT 1) AS content FROM students LIMIT 1',
      'WITH p AS (SELECT content AS c FROM posts) SELECT 1 AS id, max(c) AS content FROM p',
      'SELECT id, title AS content FROM courses WHERE 0 UNION ALL SELECT * FROM (SELECT 1, content FROM posts LIMIT 1)',
    ]) {
      const { structured, text } = await call('query_data', { sql });
      expect(structured?.rows, text).toEqual([{ id: expect.any(Number), untrusted: { content } }]);
      expect(structured?.by_members).toEqual(['content']);
      expect(text.indexOf('<untrusted-data-')).toBeLessThan(text.indexOf(content));
    }
  }
});

test('query_data names the columns that members may have written, by what the statement reads', async () => {
  const academy = await filled();
  const named = async (sql: string) => {
    const { structured, text } = await academy.call('query_data', { sql });
    expect(structured?.rows, text).toBeDefined();
    return structured?.by_members;
  };
  expect(await named('SELECT id, email, name FROM students LIMIT 2')).toEqual(['email', 'name']);
  expect(await named('SELECT name AS status, id FROM students LIMIT 2')).toEqual(['status']);
  expect(await named('SELECT count(*) AS n, country FROM orders GROUP BY 2')).toEqual(['country']);
  expect(await named('SELECT topic_id, author_slug FROM posts LIMIT 2')).toEqual(['author_slug']);
  expect(await named('SELECT name FROM sales LIMIT 2')).toEqual(['name']);
  expect(
    await named('SELECT x.y FROM (SELECT upper(location) AS y FROM students WHERE location > 0 LIMIT 1) x'),
  ).toEqual(['y']);
  expect(await named('WITH sales AS (SELECT name AS n FROM orders) SELECT n FROM sales LIMIT 1')).toEqual(['n']);
  for (const expression of [
    'content AS c FROM posts',
    "replace(content, ' ', '') AS c FROM posts",
    '(SELECT group_concat(content) FROM (SELECT content FROM posts LIMIT 2)) AS c FROM orders',
    'upper(author_slug) AS c FROM posts',
    'title AS c FROM courses WHERE 0 UNION ALL SELECT content FROM posts',
    'max(c) AS c FROM (SELECT content AS c FROM posts)',
    'json_group_array(name) AS c FROM holdings',
  ])
    expect(await named(`SELECT ${expression} LIMIT 1`), expression).toEqual(['c']);
  const sold = await academy.call('sales_report', { period: 'all_time', group_by: 'country' });
  expect(sold.structured?.by_members).toContain('key');
  const leaving = await academy.call('offboard_student', { email: 'freya.hargreaves@example.net' });
  expect(leaving.structured?.by_members).toContain('plan');
  for (const sql of [
    'SELECT month, currency, decimal_sum(amount) AS revenue FROM sales GROUP BY 1, 2',
    'SELECT title, price FROM courses',
    'SELECT title, count(*) AS holders FROM holdings GROUP BY 1',
    'SELECT count(name) AS n FROM students',
  ])
    expect(await named(sql), sql).toBeUndefined();
});

/** Functions whose errors quote what they were given. */
const failing = [
  "json_extract('{}', content)",
  "json_extract(content, '$')",
  'json(content)',
  'abs(-9223372036854775807 - 1), content',
  "'{}' ->> ('$' || content)",
  "json_type('{}', content)",
  'json_object(content, json(content))',
  "'a' LIKE 'b' ESCAPE content",
  'percentile(1, content)',
  'CASE WHEN content THEN 1 ELSE json(content) END',
  'sum(1) OVER (ROWS content PRECEDING)',
  'nth_value(1, content) OVER ()',
];

test.for(failing)('the error of %s repeats no text of a post, and counts as one under lockdown', async (expression) => {
  const { call } = await startFilled({ students: 20, orders: 60 }, { ACADEMY_LOCKDOWN: 'true' });
  const { text } = await call('query_data', { sql: `SELECT ${expression} FROM posts` });
  expect(text).toContain('cannot use one of its values');
  const written = await call('update_product', { product_type: 'course', id_or_slug: '5', title: 'New' });
  expectRefusal(written, 'confirmation_required');
  const { structured } = await call('query_data', { sql: 'SELECT content FROM posts' });
  const words = JSON.stringify(structured?.rows).match(/\w{10,}/g) ?? [];
  expect(words.length).toBeGreaterThan(10);
  for (const word of words) expect(text).not.toContain(word);
});

test('the names of columns that a statement gives are clean, and none is that of a part of the answer', async () => {
  const academy = await filled();
  const sql = 'SELECT 1 AS "a\n\u202eb\u200b", 2 AS "untrusted", \'x\' AS "by_members", 3 AS "a b"';
  const { structured, text } = await academy.call('query_data', { sql });
  const columns = ['a b', 'untrusted_2', 'by_members_3', 'a b_4'];
  expect(structured?.columns).toEqual(columns);
  expect(structured?.rows).toEqual([{ 'a b': 1, untrusted_2: 2, by_members_3: 'x', 'a b_4': 3 }]);
  expect(text).not.toMatch(/[\u202e\u200b]/);
});

test('no two columns of an answer have the same name, whatever names a statement gives', async () => {
  const academy = await filled();
  for (const names of [
    ['untrusted_2', 'untrusted'],
    ['a', 'a_3', 'a'],
    ['column_2', ''],
    ['x', 'x', 'x_2', 'x'],
  ]) {
    const sql = `SELECT ${names.map((name, index) => `${index} AS "${name}"`).join(', ')}`;
    const { structured } = await academy.call('query_data', { sql });
    const [row = {}] = rows(structured?.rows);
    expect(Object.values(row).sort(), sql).toEqual(names.map((_, index) => index));
    expect(structured?.columns, sql).toEqual(Object.keys(row));
  }
});

test('refresh_data takes since for orders only', async () => {
  const academy = await filled();
  const { text } = await academy.call('refresh_data', { what: 'students', since: '2026-01-01' });
  expect(text).toContain('since applies to orders only');
});
