import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { createMemories } from '../../src/mirror/engine/messages.ts';
import { startThread, type Thread } from '../../src/mirror/engine/thread.ts';
import type { ArgsOf } from '../../src/mirror/engine/worker.ts';
import { createSchema } from '../../src/mirror/rows/tables.ts';
import { hostileStatements } from '../reliability/f22/hostile-statements.ts';

const limits = { maxRows: 200 };
const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT';

const threads: Thread[] = [];
afterAll(() => Promise.all(threads.map((thread) => thread.end())));

/** The thread of callers, with a snapshot of orders `o0`, `o1` … with these amounts. */
async function openEngine(amounts: readonly string[] = []) {
  const thread = startThread(createMemories());
  threads.push(thread);
  await thread.request('open', { file: undefined });
  const rows = JSON.stringify(amounts.map((amount, index) => ({ id: `o${index}`, amount, name: `Name ${index}` })));
  const sql = `INSERT INTO orders (id, amount, name, status, currency)
    SELECT value ->> 'id', value ->> 'amount', value ->> 'name', 'paid', 'EUR' FROM json_each(?)`;
  await thread.request('write', { statements: [...createSchema, { sql, values: [rows] }] });
  await thread.request('show', await thread.request('share', {}));
  return {
    query: (statement: string, given: Omit<ArgsOf<'query'>, 'sql'>) =>
      thread.request('query', { sql: statement, ...given }),
    csv: (statement: string, given: Omit<ArgsOf<'csv'>, 'sql'>) => thread.request('csv', { sql: statement, ...given }),
    /** Stops the statement that runs, after a while. */
    stopAfter: (milliseconds: number) => setTimeout(thread.interrupt, milliseconds),
    /** Everything that a hostile statement could change. */
    rows: () => thread.request('read', { sql: 'SELECT *, (SELECT group_concat(sql) FROM sqlite_schema) FROM orders' }),
  };
}

/** One without orders, for all tests: statements change nothing. */
let empty: ReturnType<typeof openEngine> | undefined;
function emptyEngine() {
  empty ??= openEngine();
  return empty;
}

const refusal = (reason: unknown) => (reason instanceof Error ? { refused: reason.message } : reason);

/** The statements write to files of this name; other programs use the folder for temporary files, too. */
const hostileFiles = () =>
  ['.', tmpdir()].flatMap((folder) => readdirSync(folder)).filter((name) => name.includes('mine'));

test('hostile statements neither write nor leave files, and the database answers afterwards', async () => {
  const engine = await openEngine(Array.from({ length: 300 }, (_, index) => `${index}.50`));
  const before = await engine.rows();
  const filesBefore = hostileFiles();
  const answered: string[] = [];
  // Steps that nothing interrupts are ended with their thread, by what waits for it.
  for (const { family, sql } of hostileStatements.filter((one) => one.family !== 'step')) {
    // Short, so that those without an end do not hold up the test.
    const stop = engine.stopAfter(60);
    await engine.query(sql, limits).then(() => answered.push(family), refusal);
    clearTimeout(stop);
  }
  expect(hostileStatements.length).toBeGreaterThanOrEqual(300);
  expect(new Set(answered)).not.toContain('write');
  for (const family of ['attach', 'pragma', 'function', 'inside', 'several'])
    expect(answered, family).not.toContain(family);
  expect(await engine.rows()).toEqual(before);
  expect(hostileFiles()).toEqual(filesBefore);
  expect((await engine.query('SELECT count(*) AS n FROM orders', limits)).rows).toEqual([[300]]);
});

test('a refusal says what is not allowed', async () => {
  const engine = await emptyEngine();
  const answer = (sql: string) => engine.query(sql, limits).catch((error: Error) => error.message);
  expect(await answer("ATTACH 'x' AS y")).toContain('ATTACH is not allowed');
  expect(await answer('PRAGMA table_list')).toContain('PRAGMA is not allowed');
  expect(await answer('DELETE FROM orders')).toContain('DELETE is not allowed');
  expect(await answer("SELECT readfile('x')")).toContain('no such function');
  expect(await answer('SELECT sqlite_source_id()')).toContain('the function sqlite_source_id is not allowed');
  expect(await answer('SELECT * FROM sqlite_schema')).toContain('the table sqlite_master is not allowed');
  expect(await answer('SELECT 1; SELECT 2')).toContain('several statements');
  expect(await answer('SELECT ?')).toContain('parameters');
});

test('an export as CSV refuses what a query refuses, and has its bounds', async () => {
  const engine = await openEngine(['1.00', '2.50']);
  const within = { maxBytes: 1_000_000 };
  const refused = (sql: string) => engine.csv(sql, within).catch((error: Error) => error.message);
  expect(await refused('DELETE FROM orders')).toContain('DELETE is not allowed');
  expect(await refused("ATTACH 'x' AS y")).toContain('ATTACH is not allowed');
  expect(await refused('SELECT 1; SELECT 2')).toContain('several statements');
  engine.stopAfter(50);
  expect(await refused(`${endless} count(*) FROM n`)).toBe('the statement was stopped');
  const full = await engine.csv(`${endless} x FROM n`, { maxBytes: 200_000 });
  expect(full.isCut).toBe(true);
  expect(full.csv.length).toBeGreaterThan(150_000);
  expect(full.csv.length).toBeLessThan(201_000);
  expect(Buffer.from(full.csv).toString().split('\r\n')).toHaveLength(full.rows + 2);
  const whole = await engine.csv('SELECT id, amount FROM orders ORDER BY id', within);
  expect(Buffer.from(whole.csv).toString()).toBe('\uFEFF"id","amount"\r\n"o0",1.00\r\n"o1",2.50\r\n');
  expect(whole).toMatchObject({
    isCut: false,
    rows: 2,
    first: [
      ['o0', '1.00'],
      ['o1', '2.50'],
    ],
  });
});

test('a statement without an end is stopped, and the next one is answered', async () => {
  const engine = await emptyEngine();
  engine.stopAfter(50);
  await expect(engine.query(`${endless} count(*) FROM n`, limits)).rejects.toThrow('the statement was stopped');
  expect((await engine.query('SELECT 1 AS one', limits)).rows).toEqual([[1]]);
});

test('a semicolon and comments may follow the statement', async () => {
  const engine = await emptyEngine();
  const { rows } = await engine.query("/* a */ SELECT 'a;b' AS text; -- c\n ;", limits);
  expect(rows).toEqual([['a;b']]);
});

test('an answer has at most the rows that were asked for, and says that there are more', async () => {
  const engine = await openEngine(['1', '2', '3']);
  const ask = (maxRows: number) => engine.query('SELECT id FROM orders ORDER BY id', { ...limits, maxRows });
  expect(await ask(2)).toMatchObject({ rows: [['o0'], ['o1']], isCut: true });
  expect(await ask(3)).toMatchObject({ rows: [['o0'], ['o1'], ['o2']], isCut: false });
});

test('values keep their kind', async () => {
  const engine = await emptyEngine();
  const { columns, rows } = await engine.query(
    "SELECT 1 AS a, 9223372036854775807 AS big, 1.5 AS half, NULL AS none, 'é' AS text, x'00ff' AS bytes, 9e999 AS endless",
    limits,
  );
  expect(columns).toEqual(['a', 'big', 'half', 'none', 'text', 'bytes', 'endless']);
  expect(rows).toEqual([[1, '9223372036854775807', 1.5, null, 'é', '(2 bytes)', 'Infinity']]);
});

test('decimal_sum adds to the last digit, whatever the number of decimal places', async () => {
  const engine = await openEngine(['0.1', '0.2', '10', '-3.30', '0.00001', '99999999999999999999.99', 'about 5']);
  const { rows } = await engine.query('SELECT decimal_sum(amount), typeof(decimal_sum(amount)) FROM orders', limits);
  expect(rows).toEqual([['100000000000000000006.99001', 'text']]);
});

test('decimal_sum of no rows is NULL, and of whole numbers has no point', async () => {
  const engine = await openEngine(['7', '8']);
  const sql = "SELECT decimal_sum(amount), (SELECT decimal_sum(amount) FROM orders WHERE id = 'none') FROM orders";
  expect((await engine.query(sql, limits)).rows).toEqual([['15', null]]);
});

const usings = [
  'SELECT email FROM students JOIN fill_people USING (email)',
  'SELECT count(*) FROM orders NATURAL JOIN fill_rest',
  'SELECT 1 FROM orders LEFT JOIN fill_rest USING (id) WHERE fill_rest.rest IS NULL',
  'SELECT 1 FROM (SELECT 1 AS name) JOIN sqlite_schema USING (name)',
  'SELECT 1 FROM (SELECT 1 AS name) JOIN sqlite_temp_schema USING (name)',
  'SELECT 1 FROM (SELECT 1 AS name) JOIN pragma_table_list USING (name)',
  'SELECT 1 FROM (SELECT 1 AS name) NATURAL JOIN pragma_module_list',
  "SELECT 1 FROM (SELECT 1 AS value) JOIN json_each('[1]') USING (value)",
  'SELECT id FROM orders WHERE id IN (SELECT id FROM posts JOIN fill_rest USING (id))',
  'SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM fill_state)',
  'WITH hidden AS (SELECT count(*) AS n FROM fill_windows) SELECT n FROM hidden',
];

test('a join by the names of columns reaches no hidden table', async () => {
  const engine = await openEngine(['1']);
  for (const sql of usings) await expect(engine.query(sql, limits), sql).rejects.toThrow('is not allowed');
  for (const module of ['dbstat', 'sqlite_stmt', 'sqlite_dbpage', 'tables_used', 'bytecode', 'fts5vocab']) {
    const sql = `SELECT 1 FROM (SELECT 1 AS name) JOIN ${module} USING (name)`;
    await expect(engine.query(sql, limits), sql).rejects.toThrow('no such table');
  }
});

test('a join by the names of columns works with other tables, and all of their columns count as read', async () => {
  const engine = await openEngine(['1', '2']);
  const joined = await engine.query('SELECT count(*) FROM orders JOIN students USING (email)', limits);
  expect(joined.rows).toEqual([[0]]);
  expect(joined.reads).toEqual(expect.arrayContaining(['orders.email', 'students.email', 'students.name']));
  const own = 'WITH known(id) AS (VALUES (1)) SELECT count(*) FROM orders NATURAL JOIN known';
  expect((await engine.query(own, limits)).rows).toEqual([[0]]);
});

test('an answer names every table that was read, also those behind a view or an index', async () => {
  const engine = await openEngine(['1']);
  const tablesOf = async (sql: string) => {
    const { reads } = await engine.query(sql, limits);
    return [...new Set(reads.map((column) => column.split('.')[0]))].sort();
  };
  expect(await tablesOf('SELECT count(*) FROM sales')).toEqual(['order_items', 'orders']);
  expect(await tablesOf('SELECT 1 FROM orders WHERE EXISTS (SELECT 1 FROM posts)')).toEqual(['orders', 'posts']);
  expect(await tablesOf('SELECT min(created_ms) FROM orders')).toEqual(['orders']);
  expect(await tablesOf('SELECT 1')).toEqual([]);
});
