import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { type Engine, startEngine } from '../../src/mirror/engine/engine.ts';
import { createSchema } from '../../src/mirror/schema/create.ts';
import { hostileStatements } from '../reliability/f22/hostile-statements.ts';

const limits = { maxRows: 200, timeMs: 2_000 };

async function openEngine(): Promise<Engine> {
  const engine = startEngine();
  onTestFinished(() => engine.close());
  await engine.request('open', {});
  await engine.request('write', { statements: createSchema });
  return engine;
}

/** Orders `o0`, `o1` … with these amounts. */
function addOrders(engine: Engine, amounts: readonly string[]): Promise<number> {
  const rows = JSON.stringify(amounts.map((amount, index) => ({ id: `o${index}`, amount, name: `Name ${index}` })));
  const sql = `INSERT INTO orders (id, amount, name, status, currency)
    SELECT value ->> 'id', value ->> 'amount', value ->> 'name', 'paid', 'EUR' FROM json_each(?)`;
  return engine.request('write', { statements: [{ sql, values: [rows] }] });
}

const refusal = (reason: unknown) => (reason instanceof Error ? { refused: reason.message } : reason);

/** The statements write to files of this name; other programs use the folder for temporary files, too. */
const hostileFiles = () =>
  ['.', tmpdir()].flatMap((folder) => readdirSync(folder)).filter((name) => name.includes('mine'));

test('hostile statements neither write nor leave files, and the database answers afterwards', async () => {
  const engine = await openEngine();
  await addOrders(
    engine,
    Array.from({ length: 300 }, (_, index) => `${index}.50`),
  );
  const before = Buffer.from(await engine.request('export', {}));
  const filesBefore = hostileFiles();
  const answered: string[] = [];
  for (const { family, sql } of hostileStatements) {
    // Short, so that those without an end do not hold up the test.
    await engine.query(sql, { maxRows: 200, timeMs: 60 }).then(() => answered.push(family), refusal);
  }
  expect(hostileStatements.length).toBeGreaterThanOrEqual(300);
  expect(new Set(answered)).not.toContain('write');
  for (const family of ['attach', 'pragma', 'function', 'inside', 'several'])
    expect(answered, family).not.toContain(family);
  expect(before.equals(await engine.request('export', {}))).toBe(true);
  expect(hostileFiles()).toEqual(filesBefore);
  expect((await engine.query('SELECT count(*) AS n FROM orders', limits)).rows).toEqual([[300]]);
});

test('a refusal says what is not allowed', async () => {
  const engine = await openEngine();
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
  const engine = await openEngine();
  await addOrders(engine, ['1.00', '2.50']);
  const within = { timeMs: 2_000, maxBytes: 1_000_000 };
  const refused = (sql: string, more = {}) =>
    engine.csv(sql, { ...within, ...more }).catch((error: Error) => error.message);
  expect(await refused('DELETE FROM orders')).toContain('DELETE is not allowed');
  expect(await refused("ATTACH 'x' AS y")).toContain('ATTACH is not allowed');
  expect(await refused('SELECT 1; SELECT 2')).toContain('several statements');
  const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT';
  expect(await refused(`${endless} count(*) FROM n`, { timeMs: 50 })).toContain('longer than 0.05 s');
  const full = await engine.csv(`${endless} x FROM n`, { ...within, timeMs: 20_000, maxBytes: 200_000 });
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
  const engine = await openEngine();
  const sql = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
  await expect(engine.query(sql, { maxRows: 1, timeMs: 50 })).rejects.toThrow('longer than 0.05 s');
  expect((await engine.query('SELECT 1 AS one', limits)).rows).toEqual([[1]]);
});

test('a semicolon and comments may follow the statement', async () => {
  const engine = await openEngine();
  const { rows } = await engine.query("/* a */ SELECT 'a;b' AS text; -- c\n ;", limits);
  expect(rows).toEqual([['a;b']]);
});

test('an answer has at most the rows that were asked for, and says that there are more', async () => {
  const engine = await openEngine();
  await addOrders(engine, ['1', '2', '3']);
  const ask = (maxRows: number) => engine.query('SELECT id FROM orders ORDER BY id', { ...limits, maxRows });
  expect(await ask(2)).toMatchObject({ rows: [['o0'], ['o1']], isCut: true });
  expect(await ask(3)).toMatchObject({ rows: [['o0'], ['o1'], ['o2']], isCut: false });
});

test('columns of one name get numbers, and values keep their kind', async () => {
  const engine = await openEngine();
  const { columns, rows } = await engine.query(
    "SELECT 1 AS a, 2 AS a, 3 AS a, 9223372036854775807 AS big, 1.5 AS half, NULL AS none, 'é' AS text, x'00ff' AS bytes, 9e999 AS endless",
    limits,
  );
  expect(columns).toEqual(['a', 'a_2', 'a_3', 'big', 'half', 'none', 'text', 'bytes', 'endless']);
  expect(rows).toEqual([[1, 2, 3, '9223372036854775807', 1.5, null, 'é', '(2 bytes)', 'Infinity']]);
});

test('a long text is cut between two characters', async () => {
  const engine = await openEngine();
  const { rows, shortened } = await engine.query("SELECT replace(printf('%.*c', 9000, 'x'), 'x', 'é') AS text", limits);
  const text = String(rows[0]?.[0]);
  expect(shortened).toBe(1);
  expect(text).toMatch(/^é+…$/);
});

test('decimal_sum adds to the last digit, whatever the number of decimal places', async () => {
  const engine = await openEngine();
  await addOrders(engine, ['0.1', '0.2', '10', '-3.30', '0.00001', '99999999999999999999.99', 'about 5']);
  const { rows } = await engine.query('SELECT decimal_sum(amount), typeof(decimal_sum(amount)) FROM orders', limits);
  expect(rows).toEqual([['100000000000000000006.99001', 'text']]);
});

test('decimal_sum of no rows is NULL, and of whole numbers has no point', async () => {
  const engine = await openEngine();
  await addOrders(engine, ['7', '8']);
  const sql = "SELECT decimal_sum(amount), (SELECT decimal_sum(amount) FROM orders WHERE id = 'none') FROM orders";
  expect((await engine.query(sql, limits)).rows).toEqual([['15', null]]);
});

test('a database that was exported opens again with the same rows', async () => {
  const engine = await openEngine();
  await addOrders(engine, ['1', '2']);
  const exported = await engine.request('export', {});
  const other = startEngine();
  onTestFinished(() => other.close());
  await other.request('open', { exported });
  expect((await other.query('SELECT count(*) FROM orders', limits)).rows).toEqual([[2]]);
});
