import { unreadableEntries } from '../../api/http/unreadable-paths.ts';
import { listBundles } from '../../contract/bundles.ts';
import { listCourses } from '../../contract/courses.ts';
import { listDigitalProducts } from '../../contract/digital-products.ts';
import { listCompletedStudents } from '../../contract/students.ts';
import { asOf } from '../../insights/period.ts';
import { hourMs } from '../../shared/durations.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { emailCells, lineCell, numberCell } from '../rows/cells.ts';
import { insertRows } from '../rows/insert-rows.ts';
import { courseRow } from '../rows/record-rows.ts';
import { failureToStore, hasMissing, keysOf, removeMissing, writeSync } from './fill-state.ts';
import { createSchedule, type FillContext, type Filling } from './list-filling.ts';

// The lists that the API sends whole, in one request each.

type Row = readonly Cell[];

/** What a list shows: its rows, undefined for a record that cannot be stored, and the records that could not be read. */
interface Shown {
  readonly rows: readonly (Row | undefined)[];
  readonly unreadable: number;
}

interface WholeList {
  /** The table that it fills. */
  readonly table: string;
  /** The column that identifies a row, and its place in a row. */
  readonly key: string;
  readonly keyAt: number;
  /** The rows of the table that it covers; all if undefined. */
  readonly covers?: string;
  /** What removes a row; default: DELETE. */
  readonly remove?: string;
  read(context: FillContext): Promise<Shown>;
  /** What else follows from the rows of the table. */
  readonly more?: readonly Statement[];
}

const intervalMs = hourMs;

/** The records that this program knows an id of, as rows. */
function shown<Item extends object>(answer: { items: readonly Item[] }, rowOf: (item: Item) => Row | undefined): Shown {
  return { rows: answer.items.map(rowOf), unreadable: unreadableEntries(answer) };
}

const withId = (id: number | undefined, row: Row) => (id === undefined ? undefined : row);

/** A product that no list shows stays while an order names it. */
const forgetProducts: Statement = {
  sql: `DELETE FROM products WHERE is_listed = 0 AND NOT EXISTS (SELECT 1 FROM order_items AS item
    WHERE item.kind = products.kind AND item.product_id = products.product_id)`,
};

/** Courses and bundles are products, too. */
function listedProducts(kind: string, table: string, price: string): Statement[] {
  return [
    {
      sql: `UPDATE products SET is_listed = 0 WHERE kind = '${kind}' AND product_id NOT IN (SELECT id FROM ${table})`,
    },
    {
      sql: `INSERT OR REPLACE INTO products (kind, product_id, title, price, is_listed)
        SELECT '${kind}', id, title, ${price}, 1 FROM ${table}`,
    },
    forgetProducts,
  ];
}

const catalog: readonly WholeList[] = [
  {
    table: 'courses',
    key: 'id',
    keyAt: 0,
    read: async ({ api }) => shown(await api.call(listCourses, {}), (course) => withId(course.id, courseRow(course))),
    more: listedProducts('course', 'courses', 'price'),
  },
  {
    table: 'bundles',
    key: 'id',
    keyAt: 0,
    read: async ({ api }) =>
      shown(await api.call(listBundles, {}), ({ id, title }) => withId(id, [numberCell(id), lineCell(title)])),
    more: listedProducts('bundle', 'bundles', 'NULL'),
  },
  {
    table: 'products',
    key: 'product_id',
    keyAt: 1,
    covers: "kind = 'digital_product' AND is_listed = 1",
    remove: 'UPDATE products SET is_listed = 0',
    read: async ({ api }) =>
      shown(await api.call(listDigitalProducts, {}), ({ id, title, price }) =>
        withId(id, ['digital_product', numberCell(id), lineCell(title), lineCell(price), 1]),
      ),
    more: [forgetProducts],
  },
];

const completed: WholeList = {
  table: 'completions',
  key: 'email_key',
  keyAt: 2,
  covers: 'course_id IS NULL',
  read: async ({ api, now }) =>
    shown(await api.call(listCompletedStudents, {}), ({ id, email, total_completion, completion_percent }) => {
      const [line, key] = emailCells(email);
      const percent = numberCell(total_completion ?? completion_percent ?? 100);
      return key === null ? undefined : [numberCell(id), line, key, null, percent, asOf(now())];
    }),
};

async function fill({ table, key, keyAt, covers, remove, read, more = [] }: WholeList, context: FillContext) {
  const readAt = context.now();
  const { rows, unreadable } = await read(context);
  const stored = rows.filter((row) => row !== undefined);
  const lost = unreadable + rows.length - stored.length;
  const problem = lost === 0 ? undefined : `${lost} records could not be read`;
  const keys = keysOf(stored.map((row) => row[keyAt] ?? null));
  const reading = { table, key, shown: keys, ...(covers === undefined ? {} : { covers: { sql: covers } }) };
  await context.store.write([
    ...insertRows(table, stored),
    ...(lost === 0 ? removeMissing(reading, readAt.getTime(), remove ?? `DELETE FROM ${table}`) : []),
    ...more,
    writeSync({
      name: table,
      complete: lost === 0,
      total: rows.length,
      newUpTo: readAt,
      comparedAt: context.now(),
      problem,
    }),
  ]);
}

/** Fills tables from whole lists, each again after an hour. The API may refuse one of them. */
function createWholeLists(name: string, lists: readonly WholeList[]): Filling {
  const { isDue, begin, invalidate } = createSchedule();

  async function fillOne(list: WholeList, context: FillContext): Promise<void> {
    try {
      await fill(list, context);
      // The second list after the first proves which rows are gone.
      if (await hasMissing(context.store, list.table)) await fill(list, context);
    } catch (error) {
      const problem = failureToStore(error, `the list of ${list.table}`);
      if (problem === undefined) throw error;
      await context.store.write([writeSync({ name: list.table, complete: false, newUpTo: context.now(), problem })]);
    }
  }

  return {
    name,
    isDue: async (context) => isDue(context),
    step: async (context) => {
      const end = begin();
      for (const list of lists) await fillOne(list, context);
      end(context, intervalMs);
    },
    invalidate,
  };
}

export const createCatalogFilling = () => createWholeLists('catalog', catalog);

export const createCompletionFilling = () => createWholeLists('completions', [completed]);
