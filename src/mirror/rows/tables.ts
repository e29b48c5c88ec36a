import type { Statement } from '../engine/messages.ts';

export interface Column {
  readonly name: string;
  /** Type and constraints in SQL; empty for a column of a view. */
  readonly sql: string;
  /** Meaning and unit; undefined if the name says all. */
  readonly meaning?: string;
}

export interface Table {
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly Column[];
  /** The key of several columns: then the table is its own index. */
  readonly key?: string;
  readonly view?: string;
  readonly indexes?: readonly string[];
}

/** The columns of lines such as `id INTEGER, title TEXT -- meaning of the last one`. */
function columnsIn(text: string): Column[] {
  return text.split('\n').flatMap((line) => {
    const [definitions = '', meaning] = line.trim().split(' -- ');
    return definitions.split(', ').map((definition, index, all) => {
      const [name = '', ...sql] = definition.split(' ');
      return { name, sql: sql.join(' '), ...(meaning && index === all.length - 1 ? { meaning } : {}) };
    });
  });
}

function table(name: string, meaning: string, columns: string, others: Omit<Partial<Table>, 'columns'> = {}): Table {
  return { name, meaning, columns: columnsIn(columns.trim()), ...others };
}

/** Emails compare without case: the platform keeps them as people typed them. */
const email = 'email TEXT COLLATE NOCASE';

/** The moment of a record, and its calendar in the time zone of the mirror. */
const times = `created_at TEXT -- UTC
  created_ms INTEGER, day TEXT -- 2026-11-09
  week TEXT -- 2026-W46
  month TEXT -- 2026-11`;

const product = `kind TEXT NOT NULL -- course, bundle or digital_product
  product_id INTEGER NOT NULL -- unique within its kind`;

/** Money came in: paid by card or the like, or from the wallet. */
const isPaid = "orders.status IN ('paid', 'wallet_executed')";

export const tables: readonly Table[] = [
  table(
    'orders',
    'every order, one row each; amount 0 was granted, free or paid by coupon',
    `order_no INTEGER PRIMARY KEY -- joins orders and order_items fast
    id TEXT NOT NULL UNIQUE, ${email}, email_key TEXT -- email in lower case
    name TEXT -- of the buyer
    ${times}
    status TEXT -- paid, wallet_executed, pending or failed
    amount TEXT -- decimal text: add it with decimal_sum(amount)
    amount_e4 INTEGER -- amount x 10,000
    currency TEXT, country TEXT, unreadable TEXT -- values that could not be read`,
    { indexes: ['created_ms', 'email'] },
  ),
  table(
    'order_items',
    'one row per product of an order',
    `order_no INTEGER NOT NULL, order_id TEXT NOT NULL -- orders.id
    ${product}
    title TEXT, bundle_id INTEGER -- a bundle on the same order, which may contain it`,
    { key: 'order_no, kind, product_id' },
  ),
  table(
    'sales',
    'one row per product of an order for which money came in (amount 0 left out, contents of bundles included). amount is that of the whole order, so a sum counts an order with several products several times: add amounts over orders, or over DISTINCT order_id',
    `order_id, email, email_key, name, created_at, day, week, month, status, amount, amount_e4, currency, country
    kind, product_id, title, bundle_id`,
    {
      view: `SELECT orders.id AS order_id, orders.email AS email, email_key, name, created_at, day, week, month, status, amount,
    amount_e4, currency, country, kind, product_id, title, bundle_id
    FROM orders JOIN order_items USING (order_no)
    WHERE ${isPaid} AND amount_e4 > 0`,
    },
  ),
  // SQLite takes the other columns from the row with the least created_ms, the first order. That needs a single min() or max().
  table(
    'holdings',
    'who holds which product, one row each, by paid and granted orders that list it (student_profile also reads details, refunds and orders of bundles alone)',
    `email, email_key, name, kind, product_id, title
    since -- created_at of the first order that lists it
    order_id -- that order
    how -- bought or granted; NULL if no amount could be read`,
    {
      view: `SELECT email, email_key, name, kind, product_id, title, created_at AS since, id AS order_id, how FROM (
    SELECT orders.email AS email, email_key, name, kind, product_id, title, created_at, id, min(ifnull(created_ms, 9e15)),
      CASE WHEN sum(amount_e4 > 0) > 0 THEN 'bought' WHEN count(amount_e4) = count(*) THEN 'granted' END AS how
    FROM orders JOIN order_items USING (order_no)
    WHERE ${isPaid} AND ifnull(amount_e4, 0) >= 0
    GROUP BY email_key, kind, product_id)`,
    },
  ),
  table(
    'students',
    'one row per student',
    `id INTEGER PRIMARY KEY, ${email}, email_key TEXT, name TEXT
    ${times}
    location TEXT, enrolled INTEGER -- 0 or 1
    admin INTEGER, is_active INTEGER, sign_in_count INTEGER, points INTEGER
    completion_percent INTEGER -- over all courses, 0 to 100`,
    { indexes: ['email'] },
  ),
  table(
    'completions',
    'students who completed everything',
    `student_id INTEGER, ${email}, email_key TEXT PRIMARY KEY
    percent INTEGER, read_at TEXT`,
  ),
  table(
    'products',
    'courses, bundles and digital products that the API lists or an order names',
    `${product}
    title TEXT, price TEXT, is_listed INTEGER -- 1: the API lists it now`,
    { key: 'kind, product_id' },
  ),
  table('courses', 'published courses', 'id INTEGER PRIMARY KEY, title TEXT, price TEXT, sold_separately INTEGER'),
  table(
    'modules',
    'modules of published courses',
    'id INTEGER PRIMARY KEY, course_id INTEGER, title TEXT, sequence INTEGER, is_published INTEGER',
  ),
  table(
    'lessons',
    'lessons of published courses',
    `id INTEGER PRIMARY KEY, course_id INTEGER, module_id INTEGER -- NULL: in no module
    title TEXT, sequence INTEGER, is_published INTEGER, lesson_type TEXT`,
  ),
  table(
    'bundles',
    'bundles; the API does not list their contents, see order_items.bundle_id',
    'id INTEGER PRIMARY KEY, title TEXT',
  ),
  table(
    'posts',
    'community posts',
    `id INTEGER PRIMARY KEY, channel TEXT -- slug
    topic_id INTEGER, topic TEXT -- title
    author TEXT, author_slug TEXT
    ${times}
    content TEXT -- first 5,000 characters`,
    { indexes: ['created_ms'] },
  ),
  table(
    'sync',
    'what of each table is complete',
    `name TEXT PRIMARY KEY -- the table
    complete INTEGER -- 1: it has everything that the API counted at compared_at
    complete_from TEXT -- orders: complete since then
    total INTEGER -- as the API counts
    new_up_to TEXT -- every record that there was then was read
    changes_as_of TEXT -- the oldest reading of a row: later changes may be missing
    compared_at TEXT -- when it was last compared with the API
    problem TEXT`,
  ),
];

export const columnsOf: ReadonlyMap<string, readonly string[]> = new Map(
  tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]),
);

export const publicTables: ReadonlySet<string> = new Set(columnsOf.keys());

/** What members write: a name, an address or a title, or text at length. */
const membersWrite = new Map<string, 'line' | 'text'>([
  ...'email email_key name country location topic author author_slug'.split(' ').map((name) => [name, 'line'] as const),
  ['content', 'text'],
]);

/** What members write in a column, given as `table.column`; undefined for others. */
export function writtenIn(read: string): 'line' | 'text' | undefined {
  const [of, name = ''] = read.split('.');
  return of === 'sync' ? undefined : membersWrite.get(name);
}

/** A change of the tables, or of what is stored in them, raises this: a file of another schema is filled again. */
export const schemaVersion = 9;

/** Tables of the filling itself, which a caller's statement cannot read. */
const internal = [
  // The periods whose orders were read, newest first without a gap. `problem`: why it is not complete; `is_due`: to be read again now.
  'CREATE TABLE fill_windows (from_ms INTEGER PRIMARY KEY, to_ms INTEGER, read_ms INTEGER, problem TEXT, is_due INTEGER)',
  // Counts the products of orders without reading titles. In the order of the orders: any other would make joins slow.
  'CREATE INDEX order_items_order ON order_items (order_no)',
  'CREATE INDEX orders_unreadable ON orders (unreadable) WHERE unreadable IS NOT NULL',
  // What the rows of an order do not say, so that it can be shown exactly as the API did. As JSON.
  'CREATE TABLE fill_rest (id TEXT PRIMARY KEY, rest TEXT) WITHOUT ROWID',
  // Buyers whom this program has granted or taken something, until their orders are read again.
  'CREATE TABLE fill_people (email TEXT PRIMARY KEY, note INTEGER) WITHOUT ROWID',
  'CREATE TABLE fill_state (key TEXT PRIMARY KEY, value TEXT)',
];

function createTable({ name, columns, key, view, indexes = [] }: Table): string[] {
  if (view !== undefined) return [`CREATE VIEW ${name} AS ${view}`];
  const parts = columns.map((column) => `${column.name} ${column.sql}`).join(', ');
  return [
    `CREATE TABLE ${name} (${parts}${key ? `, PRIMARY KEY (${key})) WITHOUT ROWID` : ')'}`,
    ...indexes.map((column) => `CREATE INDEX ${name}_${column} ON ${name} (${column})`),
  ];
}

export const createSchema: readonly Statement[] = [...tables.flatMap(createTable), ...internal].map((sql) => ({ sql }));
