import { column, email, money, product, type Table, times } from './column.ts';
import { holdings, sales } from './views.ts';

const orders: Table = {
  name: 'orders',
  meaning: 'every order, one row each; amount 0 was granted, free or paid by coupon',
  columns: [
    column('order_no', 'INTEGER PRIMARY KEY', 'joins orders and order_items fast'),
    column('id', 'TEXT NOT NULL UNIQUE'),
    email,
    column('email_key', 'TEXT', 'email in lower case'),
    column('name', 'TEXT', 'of the buyer'),
    ...times,
    column('status', 'TEXT', 'paid, wallet_executed, pending or failed'),
    ...money,
    column('country', 'TEXT'),
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
    column('email_key', 'TEXT'),
    column('name', 'TEXT'),
    ...times,
    column('location', 'TEXT'),
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
    column('email_key', 'TEXT NOT NULL'),
    column('course_id', 'INTEGER', 'NULL: over all courses'),
    column('percent', 'INTEGER'),
    column('read_at', 'TEXT'),
  ],
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
    column('topic', 'TEXT', 'title'),
    column('author', 'TEXT'),
    column('author_slug', 'TEXT'),
    ...times,
    column('content', 'TEXT', 'first 5,000 characters'),
  ],
  indexes: ['created_ms'],
  freeText: ['content'],
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

/** A change of the tables raises this: a file of another schema is filled again. */
export const schemaVersion = 3;
