import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { dataTools, tools } from '../../tools/index.ts';
import { startRewriting } from '../mirror/rewriting.ts';
import { startMirror, whenFilled } from '../mirror/start-mirror.ts';
import { at, type Row, rows } from '../support/academy.ts';
import { sharedByTests } from '../support/at-end.ts';
import { connect } from '../support/connect.ts';
import { exported, sorted, startExports } from '../support/exports.ts';
import { buyers, counted, rawOrders, sums } from '../support/sales.ts';
import { start, temporaryFolder } from '../support/sandbox.ts';
import { truths } from '../support/truth.ts';

test('a statement is exported with every row, of which the answer shows the first five', async () => {
  const academy = await startExports();
  await whenFilled(academy);
  const sql = 'SELECT id, email, amount, currency, country FROM orders ORDER BY created_at';
  const { text, structured, file, header, records } = await exported(academy, { sql });
  expect(header).toEqual(['id', 'email', 'amount', 'currency', 'country']);
  const raw = await rawOrders(academy.sandbox);
  expect(sorted(records.map((record) => JSON.stringify(record)))).toEqual(
    sorted(
      raw.map(({ id, user_email: email, amount, currency, billing_country: country }) =>
        JSON.stringify({ id, email, amount, currency, country }),
      ),
    ),
  );
  expect(structured).toMatchObject({ complete: true, rows: 400, columns: header });
  expect(rows(structured.first_rows).map(({ id }) => id)).toEqual(records.slice(0, 5).map(({ id }) => id));
  expect(text).toMatch(
    /^Orders complete \(400\); (as of|new orders up to) .*compared \S+ Exported: 400 rows and 5 columns, in \//,
  );
  expect(text).toContain(file);
});

test('S24: a file is new, in the folder, and only its owner can read it', async () => {
  const { folder, ...academy } = await startExports();
  const files = [];
  for (let count = 0; count < 3; count += 1) files.push((await exported(academy, { sql: 'SELECT 1 AS one' })).file);
  expect(new Set(files).size).toBe(3);
  expect((await readdir(folder)).map((name) => join(folder, name)).sort()).toEqual(files.sort());
  for (const file of files) {
    expect(file.slice(folder.length)).toMatch(/^[/\\]query-(incomplete-)?\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d)?\.csv$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  }
});

test('S24: an export never writes over a file or through a link', async () => {
  const folder = temporaryFolder();
  const sandbox = await startSandbox({ rateLimit: 'off', students: 1, orders: 1 });
  const outside = join(temporaryFolder(), 'outside.csv');
  const start = join(folder, 'list_students-2026-11-22T10-40-22Z');
  await writeFile(`${start}.csv`, 'mine');
  await symlink(outside, `${start}-2.csv`);
  const settings = { ACADEMY_BASE_URL: sandbox.url, ACADEMY_MIRROR: 'memory', ACADEMY_EXPORT_DIR: folder };
  const now = () => new Date('2026-11-22T10:40:22.500Z');
  const { call } = await connect(settings, { offered: [...tools, ...dataTools], now });
  expect((await exported({ call }, { tool: 'list_students' })).file).toBe(`${start}-3.csv`);
  expect(await readFile(`${start}.csv`, 'utf8')).toBe('mine');
  await expect(readFile(outside)).rejects.toThrow('ENOENT');
  await sandbox.close();
});

test('without a folder that exists nothing is read, and the error names the setting', async () => {
  const folder = temporaryFolder();
  const link = join(folder, 'link');
  const file = join(folder, 'file');
  await mkdir(join(folder, 'real'));
  await symlink(join(folder, 'real'), link);
  await writeFile(file, '');
  const places: Record<string, RegExp> = {
    '': /ACADEMY_EXPORT_DIR is not set/,
    [join(folder, 'none')]: /ACADEMY_EXPORT_DIR is not an existing folder/,
    [file]: /ACADEMY_EXPORT_DIR is not an existing folder/,
    [link]: /ACADEMY_EXPORT_DIR is a symbolic link/,
  };
  for (const [place, problem] of Object.entries(places)) {
    const { call } = await startMirror({}, { ACADEMY_EXPORT_DIR: place });
    const { isError, text, meta } = await call('export_data', { tool: 'list_students' });
    expect([isError, text]).toEqual([true, expect.stringMatching(problem)]);
    expect(text).toContain('invalid_settings');
    expect(meta['academy/budget']).toMatchObject({ requests: 0 });
  }
  expect(await readdir(join(folder, 'real'))).toEqual([]);
});

test('a text that a spreadsheet would run is exported as text, and numbers as they are', async () => {
  const academy = await startExports();
  const sql = `SELECT '=HYPERLINK("https://example.com")' AS link, '-1+1' AS sum, '-12.50' AS amount, -3 AS number,
    'a,"b"' || char(10) || 'c' AS text, NULL AS absent, 'x' || char(8203) AS hidden`;
  expect((await exported(academy, { sql })).rows).toEqual([
    ['\'=HYPERLINK("https://example.com")', "'-1+1", '-12.50', '-3', 'a,"b"\nc', '', 'x'],
  ]);
});

const ownExports = sharedByTests(startExports);
/** What a program with other separators or quotes takes for the end of a cell, and blanks before a formula. */
const starts = ['', ' ', '\u00a0', '\u3000', '\t', '\n', 'x;', 'x,', 'x|', 'x\t"', 'x;"', '";"', '1\n', "a'", 'x;" '];
const formulas = ["=cmd|' /C calc'!A0", '+1+1', '-1,2+1', '@SUM(A1)', '＝1+1', '－1+1'];

test.for(starts)('S24: no formula behind %j begins a cell, whatever separates and quotes cells', async (start) => {
  const columns = formulas.map((formula) => `'${`${start}${formula}`.replaceAll("'", "''")}'`);
  const { file } = await exported(await ownExports(), { sql: `SELECT ${columns.join(', ')}` });
  const [, ...row] = (await readFile(file, 'utf8')).split('\r\n');
  for (const cell of row.join('').split(/[,;\t\n"]/)) expect(cell).not.toMatch(/^[\s\u2800]*[=+\-@＝＋－＠]/);
});

test('what members wrote is fenced in the answer, and whole in the file', async () => {
  const academy = await startExports();
  await whenFilled(academy);
  const { text, structured, records } = await exported(academy, { sql: 'SELECT content FROM posts ORDER BY id' });
  const [first] = rows(structured.first_rows);
  expect(first).toEqual({ untrusted: { content: expect.stringMatching(/\w/) } });
  expect(text).toMatch(/<untrusted-data-[0-9a-f]+>/);
  expect(records.length).toBeGreaterThan(200);
});

test('long texts are whole', async () => {
  const academy = await startExports();
  const { rows: lines } = await exported(academy, { sql: "SELECT printf('%.*c', 20000, 'x') AS long" });
  expect(at(at(lines, 0), 0)).toBe('x'.repeat(20_000));
});

test('a statement over a mirror that is not filled is incomplete', async () => {
  const academy = await startMirror(
    { rateLimit: 5 },
    { ACADEMY_RATE_LIMIT: '5', ACADEMY_EXPORT_DIR: temporaryFolder() },
  );
  const part = await exported(academy, { sql: 'SELECT email FROM students' });
  expect(part.text).toMatch(/^Incomplete: Students /);
  expect(part.file).toMatch(/[/\\]query-incomplete-2/);
});

test('arguments are checked before anything is read', async () => {
  const academy = await startExports();
  const refused = async (args: Row) => (await academy.call('export_data', args)).text;
  expect(await refused({})).toContain('give either sql or tool');
  expect(await refused({ sql: 'SELECT 1', tool: 'find_buyers' })).toContain('give either sql or tool');
  expect(await refused({ sql: 'SELECT 1', arguments: {} })).toContain('arguments needs tool');
  expect(await refused({ tool: 'enroll_student', arguments: {} })).toContain('invalid_input');
  expect(await refused({ tool: 'find_buyers', arguments: { produkt: 1 } })).toContain('unknown argument "produkt"');
  expect(await refused({ tool: 'sales_report', arguments: { include_unsold: true, group_by: 'day' } })).toContain(
    'include_unsold needs group_by product',
  );
  expect(await refused({ sql: 'DELETE FROM orders' })).toContain('DELETE is not allowed');
  expect(await refused({ sql: 'SELECT emial FROM orders' })).toContain('The columns of orders are order_no, id, email');
  expect(await readdir(academy.folder)).toEqual([]);
});

test('a tool of a toolset that is off is neither offered nor exported', async () => {
  const academy = await startExports({ ACADEMY_TOOLSETS: 'data,courses' });
  const { tools: listed } = await academy.client.listTools();
  const schema = JSON.stringify(listed.find(({ name }) => name === 'export_data')?.inputSchema);
  for (const tool of ['list_students', 'find_buyers', 'sales_report']) {
    expect(schema).not.toContain(tool);
    expect((await academy.call('export_data', { tool })).isError, tool).toBe(true);
  }
});

test('find_buyers is exported with every buyer, whatever its limit', async () => {
  const academy = await startExports();
  const asked = { tool: 'find_buyers', arguments: { period: 'all_time', limit: 2, totals_only: true } };
  const { structured, header, records } = await exported(academy, asked);
  const { kept } = counted(await rawOrders(academy.sandbox), { to: Date.now() });
  expect(sorted(records.map(({ email }) => email?.toLowerCase()))).toEqual(sorted(buyers(kept)));
  const expected = sums(kept);
  for (const [currency, sum] of Object.entries(expected)) {
    const cells = records.map((record) => Number(record[`amount ${currency}`] ?? 0));
    expect(cells.reduce((one, other) => one + other, 0).toFixed(2)).toBe(sum);
  }
  expect(header.slice(0, 3)).toEqual(['email', 'name', 'orders']);
  expect(records.reduce((sum, { orders }) => sum + Number(orders), 0)).toBe(kept.length);
  expect(structured).toMatchObject({ complete: true, coverage: { complete: true } });
});

test('sales_report is exported with every group', async () => {
  const academy = await startExports();
  const asked = { tool: 'sales_report', arguments: { period: 'last_year', group_by: 'day' } };
  const { records, file } = await exported(academy, asked);
  expect(records.length).toBeGreaterThanOrEqual(365);
  expect(file).toMatch(/[/\\]sales_report-2/);
});

test('sales_report by product, of which an answer shows the ten largest, is exported with every product', async () => {
  const academy = await startExports();
  const { kept } = counted(await rawOrders(academy.sandbox), { to: Date.now() });
  const lists = ['courses', 'bundles', 'digital_products'] as const;
  const sold = new Set(kept.flatMap((order) => lists.flatMap((list) => order[list].map(({ id }) => `${list} ${id}`))));
  expect(sold.size).toBeGreaterThan(10);
  const { records } = await exported(academy, { tool: 'sales_report', arguments: { period: 'all_time' } });
  expect(new Set(records.map(({ key }) => key)).size).toBe(records.length);
  expect(records).toHaveLength(sold.size);
});

test('an export names the columns that members chose, also those that only this question has', async () => {
  const academy = await startExports();
  const named = async (tool: string, args: object) =>
    (await exported(academy, { tool, arguments: args })).structured.by_members;
  expect(await named('sales_report', { period: 'all_time', group_by: 'country' })).toEqual(['key']);
  expect(await named('sales_report', { period: 'all_time', group_by: 'month' })).toBeUndefined();
  expect(await named('find_buyers', { period: 'all_time' })).toEqual(expect.arrayContaining(['email', 'name']));
  expect(await named('list_students', {})).toEqual(expect.arrayContaining(['email', 'name', 'location']));
});

test('list_students is exported with every page', async () => {
  const academy = await startExports();
  const { records } = await exported(academy, { tool: 'list_students', arguments: { page: 2 } });
  const raw = await Promise.all(
    [1, 2, 3].map((page) => truths(academy.sandbox, `/api/v1/students?page=${page}`, 'students')),
  );
  expect(sorted(records.map(({ email }) => email))).toEqual(sorted(raw.flat().map(({ email }) => email)));
  expect(records).toHaveLength(120);
});

test('a tool is answered from the mirror where it covers the question', async () => {
  const academy = await startExports();
  await whenFilled(academy);
  const asked = { period: 'last_year', group_by: 'month' };
  const copied = await exported(academy, { tool: 'sales_report', arguments: asked });
  const plain = await connect({ ACADEMY_BASE_URL: academy.sandbox.url, ACADEMY_RATE_LIMIT: 'off' });
  const read = await plain.call('sales_report', asked);
  expect(copied.structured.coverage).toHaveProperty('source', 'mirror');
  expect(copied.records.map(({ key }) => key)).toEqual(rows(read.structured?.groups).map(({ key }) => key));
});

test('an incomplete result says so first, and in its name', async () => {
  // The mirror leaves orders without a time to the API.
  const undated = await start({ orders: 400, students: 120 });
  const url = await startRewriting(undated.url, { orders: (order) => ({ ...order, created_at: 'soon' }) });
  const academy = await startExports({ ACADEMY_BASE_URL: url });
  const asked = { tool: 'find_buyers', arguments: { period: 'all_time', max_requests: 2 } };
  const part = await exported(academy, asked);
  expect(part.text).toMatch(/^Incomplete/);
  expect(part.file).toMatch(/[/\\]find_buyers-incomplete-2/);
  expect(part.structured).toMatchObject({ complete: false, coverage: { complete: false } });
  expect(part.rows.length).toBeGreaterThan(0);
});

test('an export ends when the request limit is used up, with what was read', async () => {
  const folder = temporaryFolder();
  const limits = { ACADEMY_RATE_LIMIT: '12', ACADEMY_RATE_SHARE: '1', ACADEMY_MAX_WAIT_MS: '3000' };
  const academy = await startMirror({ orders: 2_500, rateLimit: 12 }, { ...limits, ACADEMY_EXPORT_DIR: folder });
  const part = await exported(academy, { tool: 'find_buyers', arguments: { period: 'all_time' } });
  expect(part.text).toMatch(/^Incomplete/);
  expect(part.structured).toMatchObject({ complete: false, coverage: { stopped: expect.stringContaining('limit') } });
  expect(part.rows.length).toBeGreaterThan(0);
});
