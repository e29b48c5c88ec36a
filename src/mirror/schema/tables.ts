import { column, email, memberColumn, money, type Table, times } from './column.ts';
import { bundles, courses, lessons, modules, posts, products } from './content-tables.ts';
import { holdings, sales } from './views.ts';

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

const sync: Table = {
  name: 'sync',
  meaning: 'what of each table is complete',
  columns: [
    column('name', 'TEXT PRIMARY KEY', 'the table'),
    column('complete', 'INTEGER', '1: everything that the API counts was read'),
    column('complete_from', 'TEXT', 'orders: complete since then'),
    column('total', 'INTEGER', 'as the API counts'),
    column('as_of', 'TEXT', 'when it was last read'),
    memberColumn('problem', 'TEXT', undefined, 'text'),
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
export const schemaVersion = 3;
