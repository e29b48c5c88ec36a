import { listBundles } from '../../contract/bundles.ts';
import { listCourses } from '../../contract/courses.ts';
import { listDigitalProducts } from '../../contract/digital-products.ts';
import { listCompletedStudents } from '../../contract/students.ts';
import { asOf } from '../../insights/period.ts';
import type { Cell, Statement } from '../engine/messages.ts';
import { emailCells, lineCell, numberCell } from '../rows/cells.ts';
import { courseRow } from '../rows/record-rows.ts';
import { createWholeLists, type WholeList } from './whole-list.ts';

/** The lists of products also fill the table `products`: kind, product_id, title, price, is_listed. */
function listedProducts(kind: string, price: number | undefined) {
  return (rows: readonly (readonly Cell[])[]): Statement[] => [
    { sql: 'UPDATE products SET is_listed = 0 WHERE kind = ?', values: [kind] },
    ...rows.map(
      (row): Statement => ({
        sql: 'INSERT OR REPLACE INTO products (kind, product_id, title, price, is_listed) VALUES (?, ?, ?, ?, 1)',
        values: [kind, row[0] ?? null, row[1] ?? null, price === undefined ? null : (row[price] ?? null)],
      }),
    ),
  ];
}

type Item<Answer extends { items: readonly unknown[] }> = Answer['items'][number];

/** Ties the row to the record of its own list. */
function wholeList<Answer extends { items: readonly object[] }>(
  list: Omit<WholeList, 'read' | 'rowOf'> & {
    read: (context: Parameters<WholeList['read']>[0]) => Promise<Answer>;
    rowOf: (item: Item<Answer>, context: Parameters<WholeList['rowOf']>[1]) => readonly Cell[] | undefined;
  },
): WholeList {
  // `fill` only passes on what `read` has returned.
  return list as unknown as WholeList;
}

const withId = (id: number | undefined, row: readonly Cell[]) => (id === undefined ? undefined : row);

const courses = wholeList({
  table: 'courses',
  read: ({ api }) => api.call(listCourses, {}),
  rowOf: (course) => withId(course.id, courseRow(course)),
  more: listedProducts('course', 2),
});

const bundles = wholeList({
  table: 'bundles',
  read: ({ api }) => api.call(listBundles, {}),
  rowOf: ({ id, title }) => withId(id, [numberCell(id), lineCell(title)]),
  more: listedProducts('bundle', undefined),
});

const digitalProducts = wholeList({
  table: 'products',
  where: "kind = 'digital_product' AND is_listed = 1",
  read: ({ api }) => api.call(listDigitalProducts, {}),
  rowOf: ({ id, title, price }) => withId(id, ['digital_product', numberCell(id), lineCell(title), lineCell(price), 1]),
});

const completed = wholeList({
  table: 'completions',
  where: 'course_id IS NULL',
  read: ({ api }) => api.call(listCompletedStudents, {}),
  rowOf: ({ id, email, total_completion, completion_percent }, { now }) => {
    const [shown, key] = emailCells(email);
    const percent = numberCell(total_completion ?? completion_percent ?? 100);
    return key === null ? undefined : [numberCell(id), shown, key, null, percent, asOf(now())];
  },
});

export const createCatalogFilling = () => createWholeLists('catalog', [courses, bundles, digitalProducts]);

export const createCompletionFilling = () => createWholeLists('completions', [completed]);
