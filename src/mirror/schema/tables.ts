/** A column of the mirror: its SQL and, for describe_data, its meaning. */
export interface Column {
  readonly name: string;
  /** Type and constraints in SQL; empty for a column of a view. */
  readonly sql: string;
  /** Meaning and unit; undefined if the name says all. */
  readonly meaning?: string;
  /** Whether members write its values: a name, an address or a title, or text at length. */
  readonly ofMembers?: 'line' | 'text';
}

export interface Table {
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly Column[];
  /** What follows the columns in CREATE TABLE. */
  readonly constraint?: string;
  /** WITHOUT ROWID: the table is its own index. */
  readonly isIndex?: boolean;
  /** The statement behind a view. */
  readonly view?: string;
  readonly indexes?: readonly string[];
}

const column = (name: string, sql: string, meaning?: string): Column => ({
  name,
  sql,
  ...(meaning === undefined ? {} : { meaning }),
});

/** A column whose values members write. */
const memberColumn = (
  name: string,
  sql: string,
  meaning?: string,
  ofMembers: NonNullable<Column['ofMembers']> = 'line',
): Column => ({ ...column(name, sql, meaning), ofMembers });

/** Emails compare without case: the platform keeps them as people typed them. */
const email = memberColumn('email', 'TEXT COLLATE NOCASE');

/** The moment of a record, and its calendar in the time zone of the mirror. */
const times: readonly Column[] = [
  column('created_at', 'TEXT', 'UTC'),
  column('created_ms', 'INTEGER'),
  column('day', 'TEXT', '2026-11-09'),
  column('week', 'TEXT', '2026-W46'),
  column('month', 'TEXT', '2026-11'),
];

const money: readonly Column[] = [
  column('amount', 'TEXT', 'decimal text: add it with decimal_sum(amount)'),
  column('amount_e4', 'INTEGER', 'amount x 10,000'),
  column('currency', 'TEXT'),
];

const product: readonly Column[] = [
  column('kind', 'TEXT', 'course, bundle or digital_product'),
  column('product_id', 'INTEGER', 'unique within its kind'),
];

const orders: Table = {
  name: 'orders',
  meaning: 'every order, one row each; amount 0 was granted, free or paid by coupon',
  columns: [
    column('order_no', 'INTEGER PRIMARY KEY', 'joins orders and order_items fast'),
    column('id', 'TEXT NOT NULL UNIQUE'),
    email,
    memberColumn('email_key', 'TEXT', 'email in lower case'),
    memberColumn('name', 'TEXT', 'of the buyer'),
    ...times,
    column('status', 'TEXT', 'paid, wallet_executed, pending or failed'),
    ...money,
    memberColumn('country', 'TEXT'),
    column('unreadable', 'TEXT', 'values that could not be read'),
  ],
  indexes: ['created_ms', 'email'],
};

const orderItems: Table = {
  name: 'order_items',
  meaning: 'one row per product of an order',
  columns: [
    column('order_no', 'INTEGER NOT NULL'),
    column('order_id', 'TEXT NOT NULL', 'orders.id'),
    column('kind', 'TEXT NOT NULL', 'course, bundle or digital_product'),
    column('product_id', 'INTEGER NOT NULL', 'unique within its kind'),
    column('title', 'TEXT'),
    column('via_bundle_id', 'INTEGER', 'the bundle on the same order that contains it'),
  ],
  constraint: 'PRIMARY KEY (order_no, kind, product_id)',
  isIndex: true,
};

const students: Table = {
  name: 'students',
  meaning: 'one row per student',
  columns: [
    column('id', 'INTEGER PRIMARY KEY'),
    email,
    memberColumn('email_key', 'TEXT'),
    memberColumn('name', 'TEXT'),
    ...times,
    memberColumn('location', 'TEXT'),
    column('enrolled', 'INTEGER', '0 or 1'),
    column('admin', 'INTEGER'),
    column('is_active', 'INTEGER'),
    column('sign_in_count', 'INTEGER'),
    column('points', 'INTEGER'),
    column('completion_percent', 'INTEGER', 'over all courses, 0 to 100'),
  ],
  indexes: ['email'],
};

const completions: Table = {
  name: 'completions',
  meaning: 'students who completed everything, and percentages that other tools have read',
  columns: [
    column('student_id', 'INTEGER'),
    email,
    memberColumn('email_key', 'TEXT NOT NULL'),
    column('course_id', 'INTEGER', 'NULL: over all courses'),
    column('percent', 'INTEGER'),
    column('read_at', 'TEXT'),
  ],
};

const calendar = ['created_at', 'day', 'week', 'month'] as const;

/** Money came in: paid by card or the like, or from the wallet. */
const isPaid = "orders.status IN ('paid', 'wallet_executed')";

/** One row per product of an order for which money came in. */
const sales: Table = {
  name: 'sales',
  meaning:
    'one row per product of an order for which money came in (amount 0 left out, contents of bundles included). amount is that of the whole order, so a sum counts an order with several products several times: add amounts over orders, or over DISTINCT order_id',
  columns: [
    column('order_id', ''),
    memberColumn('email', ''),
    memberColumn('email_key', ''),
    memberColumn('name', ''),
    ...calendar.map((name) => column(name, '')),
    column('status', ''),
    ...money.map(({ name }) => column(name, '')),
    memberColumn('country', ''),
    column('kind', ''),
    column('product_id', ''),
    column('title', ''),
    column('via_bundle_id', ''),
  ],
  view: `SELECT orders.id AS order_id, orders.email AS email, email_key, name, created_at, day, week, month, status, amount,
    amount_e4, currency, country, kind, product_id, title, via_bundle_id
    FROM orders JOIN order_items USING (order_no)
    WHERE ${isPaid} AND amount_e4 > 0`,
};

/** SQLite takes the other columns from the row with the least `created_ms`, the first order. That needs a single min() or max(). */
const holdings: Table = {
  name: 'holdings',
  meaning:
    'who holds which product, one row each, by paid and granted orders that list it (student_profile also reads details, refunds and orders of bundles alone)',
  columns: [
    memberColumn('email', ''),
    memberColumn('email_key', ''),
    memberColumn('name', ''),
    column('kind', ''),
    column('product_id', ''),
    column('title', ''),
    column('since', '', 'created_at of the first order that lists it'),
    column('order_id', '', 'that order'),
    column('how', '', 'bought or granted; NULL if no amount could be read'),
  ],
  view: `SELECT email, email_key, name, kind, product_id, title, created_at AS since, id AS order_id, how FROM (
    SELECT orders.email AS email, email_key, name, kind, product_id, title, created_at, id, min(ifnull(created_ms, 9e15)),
      CASE WHEN sum(amount_e4 > 0) > 0 THEN 'bought' WHEN count(amount_e4) = count(*) THEN 'granted' END AS how
    FROM orders JOIN order_items USING (order_no)
    WHERE ${isPaid} AND ifnull(amount_e4, 0) >= 0
    GROUP BY email_key, kind, product_id)`,
};

const products: Table = {
  name: 'products',
  meaning: 'courses, bundles and digital products that the API lists or an order names',
  columns: [
    ...product.map(({ name, sql, meaning }) => column(name, `${sql} NOT NULL`, meaning)),
    column('title', 'TEXT'),
    column('price', 'TEXT'),
    column('is_listed', 'INTEGER', '1: the API lists it now'),
  ],
  constraint: 'PRIMARY KEY (kind, product_id)',
  isIndex: true,
};

const courses: Table = {
  name: 'courses',
  meaning: 'published courses',
  columns: [
    column('id', 'INTEGER PRIMARY KEY'),
    column('title', 'TEXT'),
    column('price', 'TEXT'),
    column('sold_separately', 'INTEGER'),
  ],
};

const modules: Table = {
  name: 'modules',
  meaning: 'modules of published courses',
  columns: [
    column('id', 'INTEGER PRIMARY KEY'),
    column('course_id', 'INTEGER'),
    column('title', 'TEXT'),
    column('sequence', 'INTEGER'),
    column('is_published', 'INTEGER'),
  ],
};

const lessons: Table = {
  name: 'lessons',
  meaning: 'lessons of published courses',
  columns: [
    column('id', 'INTEGER PRIMARY KEY'),
    column('course_id', 'INTEGER'),
    column('module_id', 'INTEGER', 'NULL: in no module'),
    column('title', 'TEXT'),
    column('sequence', 'INTEGER'),
    column('is_published', 'INTEGER'),
    column('lesson_type', 'TEXT'),
  ],
};

const bundles: Table = {
  name: 'bundles',
  meaning: 'bundles; their contents are inferred from orders, see order_items.via_bundle_id',
  columns: [column('id', 'INTEGER PRIMARY KEY'), column('title', 'TEXT')],
};

const posts: Table = {
  name: 'posts',
  meaning: 'community posts',
  columns: [
    column('id', 'INTEGER PRIMARY KEY'),
    column('channel', 'TEXT', 'slug'),
    column('topic_id', 'INTEGER'),
    memberColumn('topic', 'TEXT', 'title'),
    memberColumn('author', 'TEXT'),
    memberColumn('author_slug', 'TEXT'),
    ...times,
    memberColumn('content', 'TEXT', 'first 5,000 characters', 'text'),
  ],
  indexes: ['created_ms'],
};

const sync: Table = {
  name: 'sync',
  meaning: 'what of each table is complete',
  columns: [
    column('name', 'TEXT PRIMARY KEY', 'the table'),
    column('complete', 'INTEGER', '1: it has everything that the API counted at compared_at'),
    column('complete_from', 'TEXT', 'orders: complete since then'),
    column('total', 'INTEGER', 'as the API counts'),
    column('new_up_to', 'TEXT', 'every record that there was then was read'),
    column('changes_as_of', 'TEXT', 'the oldest reading of a row: later changes may be missing'),
    column('compared_at', 'TEXT', 'when it was last compared with the API'),
    column('problem', 'TEXT'),
  ],
};

/** The tables and views of the mirror, as describe_data shows them. */
export const tables: readonly Table[] = [
  orders,
  orderItems,
  sales,
  holdings,
  students,
  completions,
  products,
  courses,
  modules,
  lessons,
  bundles,
  posts,
  sync,
];

/** The tables and views that a statement of a stranger can read. */
export const publicTables: ReadonlySet<string> = new Set(tables.map(({ name }) => name));

/** The columns that members write, as `table.column`. */
export const memberColumns: ReadonlyMap<string, 'line' | 'text'> = new Map(
  tables.flatMap((table) =>
    table.columns.flatMap(({ name, ofMembers }) => (ofMembers ? [[`${table.name}.${name}`, ofMembers] as const] : [])),
  ),
);

/** A change of the tables raises this: a file of another schema is filled again. */
export const schemaVersion = 4;
