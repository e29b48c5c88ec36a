import type * as z from 'zod';
import { isGranted } from '../../contract/orders.ts';
import { idOf } from '../../insights/sales/products-in-order.ts';
import { isObject } from '../../shared/json.ts';
import {
  type Differences,
  differencesIn,
  differs,
  fieldDifferences,
  holds,
  type ShapeCheck,
  shapeOf,
} from './differences.ts';
import { ordersPerPage, type PlatformData, type RecordList } from './read-platform.ts';
import type { JsonRecord } from './session.ts';

/** One assumption of the program about the platform. docs/internals/api-assumptions.md is generated from these. */
export interface Assumption {
  readonly id: string;
  readonly statement: string;
  /** What the API document leaves open, after the name of its section. */
  readonly undocumented: string;
  /** What the program does if the assumption is wrong. */
  readonly fallback: string;
  /** The effect on the user of a difference that the program does not handle. */
  readonly impact: string;
  /** Returns undefined without data to check, and no differences if the assumption holds. */
  check(data: PlatformData): Differences;
}

type Check = Assumption['check'];
type List = 'orders' | 'courses' | 'students';
type Part = 'course' | 'structure' | 'details';

/** A check of a part that was read. */
export function of(part: Part, check: (row: JsonRecord, data: PlatformData) => Differences): Check {
  return (data) => data[part] && check(data[part], data);
}

export function ofList(list: List, check: (list: RecordList) => Differences): Check {
  return ({ [list]: found }) => found && check(found);
}

/** A list without entries shows nothing about its pages. */
export function ofPage(list: List, check: (list: RecordList) => Differences): Check {
  return ofList(list, (found) => (found.rows.length === 0 ? undefined : check(found)));
}

export function ofAccount(check: (account: JsonRecord) => Differences): Check {
  return ({ account: body }) => body && check(isObject(body.account) ? body.account : {});
}

/** The values of one field. */
export function values(list: List, field: string, check: ShapeCheck): Check {
  return ofList(list, ({ rows }) =>
    differencesIn(
      rows.map((row) => row[field]),
      check,
    ),
  );
}

export function fields(list: List, schema: z.ZodObject, except: readonly string[] = []): Check {
  return ofList(list, ({ rows }) => fieldDifferences(schema, rows, except));
}

/** The list is under its key, with a record in each entry. */
export function records(list: List): Check {
  return ofList(list, ({ nonRecords, key }) => [
    ...(nonRecords > 0 ? differs(`entries that are not records: ${nonRecords}`) : []),
    ...(key === list ? [] : differs('the list is under another key', true)),
  ]);
}

export function orderIdDifferences({ rows }: RecordList): Differences {
  const ids = rows.map(({ id }) => id);
  const shapes = differencesIn(ids, (id) => {
    if (typeof id === 'string' && id !== '') return undefined;
    return { found: `id ${shapeOf(id)}`, isHandled: typeof id === 'number' };
  });
  const repeated = ids.length - new Set(ids).size;
  if (shapes === undefined || shapes.length > 0 || repeated === 0) return shapes;
  return differs(`${repeated} of ${ids.length} ids are repeated`);
}

/** An amount of 0 needs no currency. */
export function isFree({ amount }: JsonRecord): boolean {
  return isGranted(typeof amount === 'number' ? String(amount) : typeof amount === 'string' ? amount : undefined);
}

export function totalDifferences({ rows, meta }: RecordList): Differences {
  const total = meta.total_orders === 0 || meta.total_orders === '0' ? 0 : idOf(meta.total_orders);
  if (total === undefined) return differs('the orders have no total');
  if (total >= rows.length) return holds;
  return differs(`the total is ${total}, less than the ${rows.length} orders on the page`);
}

export function pageDifferences({ rows, meta }: RecordList): Differences {
  const [pages, total] = [idOf(meta.total_pages), idOf(meta.total_orders)];
  if (pages === undefined) return differs('the number of pages is not shown');
  const isEnough = total === undefined || pages * Math.max(rows.length, idOf(meta.per_page) ?? 0) >= total;
  if (isEnough) return holds;
  return differs(`${pages} pages of ${rows.length} orders contain fewer orders than the total of ${total}`);
}

export function sizeDifferences({ rows, meta }: RecordList): Differences {
  const size = idOf(meta.per_page);
  if (rows.length > ordersPerPage)
    return differs(`a page contains ${rows.length} orders instead of the requested ${ordersPerPage}`);
  return size === undefined || size >= ordersPerPage ? holds : differs(`a page contains at most ${size} orders`);
}

/** Students on each page. API document: "Limits". */
export const studentsPerPage = 50;

export function studentPageDifferences({ rows, meta }: RecordList): Differences {
  const total = idOf(meta.total_students);
  if (rows.length > studentsPerPage) return differs(`a page contains ${rows.length} students`);
  const isShort = rows.length < studentsPerPage && total !== undefined && total > rows.length;
  return isShort ? differs(`page 1 contains ${rows.length} of ${total} students`) : holds;
}
