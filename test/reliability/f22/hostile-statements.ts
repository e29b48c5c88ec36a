const writes = [
  'INSERT INTO orders (id) VALUES (1)',
  'INSERT INTO orders SELECT * FROM orders',
  "REPLACE INTO orders (id) VALUES ('a')",
  "UPDATE orders SET amount = '0'",
  'UPDATE orders SET amount = amount RETURNING id',
  'DELETE FROM orders',
  'DELETE FROM orders RETURNING *',
  'WITH gone AS (SELECT id FROM orders) DELETE FROM orders WHERE id IN gone',
  'WITH one AS (SELECT 1) INSERT INTO orders (id) SELECT * FROM one',
  'DROP TABLE orders',
  'DROP VIEW sales',
  'DROP INDEX orders_email',
  'CREATE TABLE mine (a)',
  'CREATE TEMP TABLE mine (a)',
  'CREATE TABLE mine AS SELECT * FROM orders',
  'CREATE TEMP VIEW mine AS SELECT 1',
  'CREATE VIEW mine AS SELECT 1',
  'CREATE INDEX mine ON orders (id)',
  'CREATE TRIGGER mine AFTER INSERT ON orders BEGIN SELECT 1; END',
  'CREATE TEMP TRIGGER mine AFTER INSERT ON main.orders BEGIN DELETE FROM orders; END',
  'CREATE VIRTUAL TABLE mine USING fts5(a)',
  'CREATE VIRTUAL TABLE mine USING rtree(a, b, c)',
  'CREATE VIRTUAL TABLE mine USING dbstat',
  'ALTER TABLE orders ADD COLUMN mine',
  'ALTER TABLE orders RENAME TO mine',
  'BEGIN',
  'BEGIN IMMEDIATE',
  'COMMIT',
  'ROLLBACK',
  'SAVEPOINT mine',
  'RELEASE mine',
  'ANALYZE',
  'REINDEX',
  'VACUUM',
];

const files = [
  '/tmp/mine.db',
  'mine.db',
  'file:mine.db?mode=rwc',
  'file:/mine?vfs=memdb',
  ':memory:',
  '',
  '/dev/null',
  '/proc/self/mem',
];

const attach = files.flatMap((file) => [
  `ATTACH '${file}' AS mine`,
  `ATTACH DATABASE '${file}' AS mine`,
  `VACUUM INTO '${file}'`,
  `VACUUM main INTO '${file}'`,
]);

const pragmas =
  `writable_schema=1 query_only=0 journal_mode=wal user_version=7 temp_store_directory='/tmp' database_list table_list
  function_list module_list compile_options hard_heap_limit=1 cache_size=-1000000 recursive_triggers=1 trusted_schema=1
  ignore_check_constraints=1 mmap_size=1000000000 secure_delete=0 wal_checkpoint integrity_check`.split(/\s+/);
const pragma = [
  ...pragmas.map((name) => `PRAGMA ${name}`),
  ...['table_info', 'function_list', 'database_list', 'module_list', 'compile_options', 'index_list'].map(
    (name) => `SELECT * FROM pragma_${name}('orders')`,
  ),
  'PRAGMA main.writable_schema = ON',
  'SELECT * FROM pragma_writable_schema',
];

const functions = [
  ...["load_extension('/tmp/mine.so')", "load_extension('mine', 'entry')", "readfile('/etc/passwd')"],
  ...["writefile('/tmp/mine', 'x')", "edit('x', 'sh')", "fts3_tokenizer('simple')", "sqlite_log(1, 'x')"],
  ...['sqlite_source_id()', 'sqlite_compileoption_get(1)', "sqlite_compileoption_used('X')"],
  ...['sqlite_offset(id)', 'randomblob(1000000000)', 'zeroblob(1000000000)', 'last_insert_rowid()'],
  ...['total_changes()', 'changes()', "fts5('x')", "unknown('x')", "rtreecheck('orders')", "jsonb('[1]')"],
  ...['load_extension(char(47, 116))', '"load_extension"(1)'],
].map((call) => `SELECT ${call} FROM orders`);

const inside = [
  ...['sqlite_schema', 'sqlite_master', 'sqlite_temp_master', 'main.sqlite_schema', 'sqlite_stat1'],
  ...['sqlite_sequence', 'fill_windows', 'fill_state', 'dbstat', 'sqlite_dbpage', 'sqlite_stmt', 'bytecode'],
  ...['tables_used', 'pragma_module_list', 'temp.orders', 'other.orders'],
].flatMap((table) => [
  `SELECT * FROM ${table}`,
  `SELECT count(*) FROM ${table}`,
  `SELECT 1 FROM orders WHERE EXISTS (SELECT 1 FROM ${table})`,
]);

const severalAnd = ['SELECT 1', 'SELECT id FROM orders', '/* c */ SELECT 1 -- c\n', 'VALUES (1)'];
const several = severalAnd.flatMap((first) =>
  ['DELETE FROM orders', 'SELECT 2', 'PRAGMA writable_schema=1', "ATTACH '/tmp/mine.db' AS mine", 'BEGIN'].map(
    (second) => `${first}; ${second}`,
  ),
);

const comments = [
  '/* SELECT */ DELETE FROM orders',
  '-- SELECT 1\nDELETE FROM orders',
  '/**/DELETE/**/FROM/**/orders',
  'SELECT 1 /*',
  '--',
  '/* nothing */',
  ';',
  ';;;;',
  '',
  '   ',
  'SELECT 1;/*',
  'SELECT 1; --\nDELETE FROM orders',
  'SELECT 1\0; DELETE FROM orders',
  '\0',
  'SELECT /* ; DELETE FROM orders */ nothing FROM orders',
  'EXPLAIN DELETE FROM orders',
  'EXPLAIN SELECT * FROM orders',
  'EXPLAIN QUERY PLAN SELECT * FROM orders',
];

const hidden = ['\u200B', '\u200E', '\u202E', '\u2060', '\uFEFF', '\u00A0', '\u{E0041}', '\u0008'];
const invisible = hidden.flatMap((character) => [
  `DEL${character}ETE FROM orders`,
  `SELECT${character} 1 FROM or${character}ders`,
  `${character}DROP TABLE orders`,
  `PRAGMA${character} writable_schema=1`,
]);

const big = 1_000_000_000;
const bombs = [
  `SELECT printf('%.*c', ${big}, 'x')`,
  `SELECT printf('%${big}s', 'x')`,
  `SELECT format('%0${big}d', 1)`,
  `SELECT length(replace(printf('%.*c', 90000, 'x'), 'x', printf('%.*c', 90000, 'y')))`,
  `SELECT hex(printf('%.*c', 90000, 'x'))`,
  `SELECT group_concat(printf('%.*c', 9000, 'x')) FROM orders, orders AS other`,
  `WITH RECURSIVE bomb(text) AS (SELECT 'x' UNION ALL SELECT text || text FROM bomb) SELECT length(text) FROM bomb`,
  `WITH RECURSIVE bomb(text, n) AS (SELECT 'x', 1 UNION ALL SELECT text || text, n + 1 FROM bomb WHERE n < 40) SELECT max(length(text)) FROM bomb`,
  `SELECT json_group_array(printf('%.*c', 9000, 'x')) FROM orders, orders AS other`,
  `SELECT string_agg(printf('%.*c', 9000, 'x'), ',') FROM orders, orders AS other`,
  `SELECT concat(${Array.from({ length: 50 }, () => "printf('%.*c', 90000, 'x')").join(', ')})`,
  `SELECT instr(printf('%.*c', 99000, 'a'), printf('%.*c', 49000, 'a') || 'b')`,
  `SELECT replace(printf('%.*c', 99000, 'a'), printf('%.*c', 49000, 'a') || 'b', 'c')`,
  `SELECT printf('%.*c', 99000, 'a') LIKE '${'%a'.repeat(45)}%b'`,
  `SELECT printf('%.*c', 99000, 'a') GLOB '${'*a'.repeat(45)}*b'`,
  `SELECT ${"'x' || ".repeat(3000)}'x'`,
  `SELECT '${'x'.repeat(30_000)}'`,
];

/** Joins for whose columns SQLite asks for no permission. */
const using = [
  'fill_state',
  'fill_people',
  'fill_rest',
  'sqlite_schema',
  'pragma_table_list',
  'dbstat',
  'sqlite_stmt',
].flatMap((table) => [
  `SELECT count(*) FROM (SELECT 'orders' AS name, 1 AS order_no, 'a' AS email, 'b' AS key) JOIN ${table} USING (name)`,
  `SELECT count(*) FROM orders NATURAL JOIN ${table}`,
]);

const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)';
const loops = [
  `${endless} SELECT count(*) FROM n`,
  `${endless} SELECT sum(x) FROM n`,
  `${endless} SELECT x FROM n ORDER BY -x`,
  `${endless} SELECT max(x) FROM n WHERE x < 0`,
  `${endless} SELECT x, printf('%.*c', 90000, 'x') AS text FROM n ORDER BY text`,
  `${endless} SELECT DISTINCT printf('%d%.*c', x, 9000, 'x') FROM n WHERE x > 0 GROUP BY 1`,
  `${endless} SELECT count(DISTINCT x) FROM n`,
  `${endless} SELECT 1 FROM n AS a, n AS b WHERE a.x < 0`,
  `${endless} SELECT decimal_sum(x) FROM n`,
  `${endless} SELECT median(x) FROM n`,
  `${endless} SELECT group_concat(x) FROM n`,
  `${endless} SELECT json_group_array(x) FROM n`,
  `${endless} SELECT sum(x) OVER (ORDER BY x) FROM n`,
  `${endless} SELECT (SELECT count(*) FROM n) FROM orders`,
  'WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT x + 1 FROM n) SELECT count(*) FROM n',
  'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n ORDER BY 1) SELECT count(*) FROM n',
  'SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e, orders f',
  'SELECT a.id FROM orders a, orders b, orders c, orders d, orders e ORDER BY a.name || b.name || c.name',
  'SELECT DISTINCT a.id || b.id || c.id || d.id FROM orders a, orders b, orders c, orders d',
];

const haystack = `(SELECT printf('%.*c', 18000, 'a') AS h, printf('%.*c', 9000, 'a') || 'b' AS n)`;
/** Steps that take long, each of which nothing interrupts. */
const steps = [
  `SELECT sum(instr(h, n)) FROM orders, ${haystack}`,
  `SELECT sum(length(replace(h, n, 'c'))) FROM orders, ${haystack}`,
  `SELECT count(*) FROM orders WHERE instr((SELECT h FROM ${haystack}), (SELECT n FROM ${haystack}) || amount)`,
  `SELECT sum(h LIKE '${'%a'.repeat(45)}%b') FROM orders, ${haystack}`,
  `SELECT sum(h GLOB '${'*a'.repeat(45)}*b') FROM orders, ${haystack}`,
  `${endless} SELECT median(CASE WHEN x % 2 THEN x ELSE -x END) FROM (SELECT x FROM n LIMIT 400000)`,
  `${endless} SELECT percentile(abs(x - 100000), 50) FROM (SELECT x FROM n LIMIT 200000)`,
  `${endless} SELECT group_concat(x % 7, printf('%.*c', 20000, '-')) FROM n`,
  `${endless} SELECT json_group_object(x, x) FROM n`,
  `${endless} SELECT percent_rank() OVER (ORDER BY x % 3), ntile(1000000) OVER (ORDER BY -x) FROM n`,
  `${endless} SELECT group_concat(x) OVER (ORDER BY x ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW) FROM n`,
  `SELECT json_extract('${'['.repeat(900)}${']'.repeat(900)}', '$${'[0]'.repeat(900)}')`,
  `SELECT sum(json_valid(h)) FROM orders, (SELECT printf('%.*c', 29000, '[') AS h)`,
  `${endless} SELECT count(*) FROM n WHERE printf('%.*f', 20000, x * 1e300) = ''`,
];

const joins = [10, 20, 40, 63, 64, 65, 100, 500, 1000].flatMap((count) => {
  const names = Array.from({ length: count }, (_, index) => `orders AS o${index}`);
  return [
    `SELECT count(*) FROM ${names.join(', ')}`,
    `SELECT count(*) FROM ${names.join(' JOIN ')}`,
    `SELECT 1 FROM ${names.join(' CROSS JOIN ')}`,
    `SELECT 1 FROM ${names.join(' NATURAL JOIN ')}`,
  ];
});

const deep = [
  `SELECT ${'('.repeat(500)}1${')'.repeat(500)}`,
  `SELECT ${'NOT '.repeat(2000)}1`,
  `SELECT 1 ${'UNION ALL SELECT 1 '.repeat(900)}`,
  `SELECT ${'abs('.repeat(500)}1${')'.repeat(500)}`,
  `SELECT ${Array.from({ length: 3000 }, () => '1').join(', ')}`,
  `SELECT max(${Array.from({ length: 3000 }, () => '1').join(', ')})`,
  `SELECT 1 WHERE 1 IN (${Array.from({ length: 9000 }, () => '1').join(',')},`,
  `${'SELECT * FROM ('.repeat(300)}SELECT 1${')'.repeat(300)}`,
  `SELECT ${'CASE WHEN 1 THEN '.repeat(300)}1${' END'.repeat(300)}`,
  'SELECT ?',
  'SELECT :name, @name, $name',
  'SELECT ?32766',
];

const families = {
  write: writes,
  attach,
  pragma,
  function: functions,
  inside,
  several,
  comment: comments,
  invisible,
  bomb: bombs,
  using,
  endless: loops,
  step: steps,
  joins,
  deep,
};

/**
 * More than 300 statements that must neither write, nor leave a file, nor run long, nor keep memory. Some of them may be
 * answered.
 */
export const hostileStatements = Object.entries(families).flatMap(([family, statements]) =>
  statements.map((sql) => ({ family, sql })),
);
