import type { Statement } from '../engine/messages.ts';
import { type Table, tables } from './tables.ts';

/** A change of the tables, or of what is stored in them, raises this: a file of another schema is filled again. */
export const schemaVersion = 7;

/** Tables of the filling itself, which a caller's statement cannot read. */
const internal = [
  // The periods whose orders were read, newest first without a gap. `is_due`: to be read again now.
  'CREATE TABLE fill_windows (from_ms INTEGER PRIMARY KEY, to_ms INTEGER, read_ms INTEGER, is_complete INTEGER, problem TEXT, is_due INTEGER)',
  // Counts the products of orders without reading titles. In the order of the orders: any other would make joins slow.
  'CREATE INDEX order_items_order ON order_items (order_no)',
  "CREATE INDEX order_items_bundles ON order_items (order_no, product_id) WHERE kind = 'bundle'",
  'CREATE INDEX orders_unreadable ON orders (unreadable) WHERE unreadable IS NOT NULL',
  // What the rows of an order do not say, so that it can be shown exactly as the API did. As JSON.
  'CREATE TABLE fill_rest (order_no INTEGER PRIMARY KEY, rest TEXT)',
  // When the API last showed a row of a list, and in which part, such as a channel.
  'CREATE TABLE fill_seen (name TEXT, key, part, seen_ms INTEGER, PRIMARY KEY (name, key)) WITHOUT ROWID',
  // The place of each student in the list of the API, and the record as JSON.
  'CREATE TABLE fill_students (id INTEGER PRIMARY KEY, place INTEGER, record TEXT)',
  'CREATE INDEX fill_students_place ON fill_students (place, id)',
  // Buyers whom this program has granted or taken something, until their orders are read again.
  'CREATE TABLE fill_people (email TEXT PRIMARY KEY, written_ms INTEGER) WITHOUT ROWID',
  'CREATE TABLE fill_state (key TEXT PRIMARY KEY, value TEXT)',
  'CREATE UNIQUE INDEX completions_key ON completions (email_key, ifnull(course_id, 0))',
];

function createTable({ name, columns, constraint, isIndex = false, view, indexes = [] }: Table): string[] {
  if (view !== undefined) return [`CREATE VIEW ${name} AS ${view}`];
  const parts = [...columns.map((column) => `${column.name} ${column.sql}`), ...(constraint ? [constraint] : [])];
  return [
    `CREATE TABLE ${name} (${parts.join(', ')})${isIndex ? ' WITHOUT ROWID' : ''}`,
    ...indexes.map((column) => `CREATE INDEX ${name}_${column} ON ${name} (${column})`),
  ];
}

/** Makes an empty mirror. */
export const createSchema: readonly Statement[] = [...tables.flatMap(createTable), ...internal].map((sql) => ({ sql }));
