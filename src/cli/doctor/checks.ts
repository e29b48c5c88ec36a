import * as z from 'zod';
import { isGranted, orderStatuses } from '../../contract/orders.ts';
import { parseDecimal } from '../../contract/schemas/decimal.ts';
import { courseModule, lessonSummary } from '../../contract/schemas/lesson.ts';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import { timeOf } from '../../insights/api-time.ts';
import type { ProductKind } from '../../insights/sales/product-ref.ts';
import { idOf, productLists, readProductList, readProducts } from '../../insights/sales/products-in-order.ts';
import { isObject } from '../../shared/json.ts';
import { type JsonRecord, ordersPerPage, type PlatformData, type RecordList } from './read-platform.ts';

// How records of the platform differ from the API document. Nothing here shows a value, since it may be personal: only
// shapes, counts and names of documented fields.

/** One way in which the platform differs. `isHandled`: the program still reads it correctly. */
export interface Difference {
  readonly found: string;
  readonly isHandled: boolean;
}

/** Undefined without data to check; empty if there is no difference. */
export type Differences = readonly Difference[] | undefined;

export const holds: readonly Difference[] = [];

export function differs(found: string, isHandled = false): readonly Difference[] {
  return [{ found, isHandled }];
}

const maxShapeLength = 40;

/** Describes a value without showing it: digits become 9, letters become a. */
export function shapeOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (typeof value === 'boolean') return 'true or false';
  const masked = String(value)
    .slice(0, maxShapeLength)
    .replace(/\p{N}/gu, '9')
    .replace(/\p{L}/gu, 'a')
    // Keeps three currency symbols, and replaces everything else outside ASCII.
    .replace(/[^\x20-\x7e€£¥]/gu, '?');
  return typeof value === 'number' ? `a number such as ${masked}` : `"${masked}"`;
}

/** How a value differs from the expected shape; undefined if it does not. */
export type ShapeCheck<Value = unknown> = (value: Value) => Difference | undefined;

const maxShapes = 3;

/** Counts values by the shape in which they differ. Undefined without values. */
export function differencesIn<Value>(values: readonly Value[], check: ShapeCheck<Value>): Differences {
  if (values.length === 0) return undefined;
  const shapes = new Map<string, { first: Difference; count: number }>();
  for (const first of values.flatMap((value) => check(value) ?? [])) {
    // "99,99" and "9,99" count as one shape. The first one found is shown.
    const key = first.found.replace(/(9|a)\1+/g, '$1');
    const known = shapes.get(key) ?? { first, count: 0 };
    shapes.set(key, { ...known, count: known.count + 1 });
  }
  const counted = [...shapes.values()].map(({ first: { found, isHandled }, count }) => ({
    found: `${found} (${count} of ${values.length})`,
    isHandled,
  }));
  return counted.sort((one, other) => Number(one.isHandled) - Number(other.isHandled)).slice(0, maxShapes);
}

/** Compares records with the documented fields. `except` are fields with an assumption of their own. */
export function fieldDifferences(
  { shape }: z.ZodObject,
  rows: readonly JsonRecord[],
  except: readonly string[] = [],
): Differences {
  if (rows.length === 0) return undefined;
  const names = Object.keys(shape).filter((name) => !except.includes(name));
  const isOdd = (name: string, value: unknown) =>
    value !== undefined && !(shape[name] instanceof z.ZodType && shape[name].safeParse(value).success);
  const missing = names.filter((name) => rows.some((row) => row[name] === undefined));
  const empty = names.filter((name) => rows.some((row) => row[name] === null && isOdd(name, null)));
  const others = names.flatMap((name) => {
    const odd = rows.find((row) => row[name] !== null && isOdd(name, row[name]));
    return odd === undefined ? [] : [`${name} is ${shapeOf(odd[name])}`];
  });
  return [
    // A missing field causes no error: answers only leave it out.
    ...(missing.length === 0 ? [] : differs(`missing: ${missing.join(', ')}`)),
    ...(empty.length === 0 ? [] : differs(`null: ${empty.join(', ')}`, true)),
    ...(others.length === 0 ? [] : differs(others.join(', '))),
  ];
}

const endsWithOffset = /T.*(Z|[+-]\d\d:\d\d)$/;

/** A time counts as handled if the tools' answers read it. A time without an offset is UTC. */
export const checkTime: ShapeCheck = (value) => {
  const found = `time ${shapeOf(value)}`;
  if (typeof value !== 'string' || timeOf(value) === undefined) return { found, isHandled: false };
  return endsWithOffset.test(value.trim()) ? undefined : { found: `${found}, without an offset: UTC`, isHandled: true };
};

export const checkAmount: ShapeCheck = (value) => {
  const isText = typeof value === 'string';
  const isHandled = (isText || typeof value === 'number') && parseDecimal(String(value)) !== undefined;
  return isText && isHandled ? undefined : { found: `amount ${shapeOf(value)}`, isHandled };
};

export const checkCurrency: ShapeCheck = (value) => {
  if (typeof value === 'string' && /^[a-z]{3}$/i.test(value.trim())) return undefined;
  return { found: `currency ${shapeOf(value)}`, isHandled: false };
};

export const checkEmail: ShapeCheck = (value) => {
  if (studentEmail.safeParse(typeof value === 'string' ? value.trim() : value).success) return undefined;
  const isText = typeof value === 'string' && value !== '';
  return { found: isText ? 'not an email address' : `email ${shapeOf(value)}`, isHandled: false };
};

/** Shows a value that looks like a status code. Anything else may be personal. */
export const checkStatus: ShapeCheck = (value) => {
  const known: readonly string[] = orderStatuses;
  const text = typeof value === 'string' ? value : '';
  if (known.includes(text)) return undefined;
  const shown = /^[a-z][a-z_-]{0,29}$/i.test(text) ? `"${text}"` : shapeOf(value);
  return { found: `the status ${shown}`, isHandled: known.includes(text.trim().toLowerCase()) };
};

/** 0 to 100. A value between 0 and 1 may be a fraction, so its meaning is unknown. */
export const checkPercentage: ShapeCheck = (value) => {
  const isText = typeof value === 'string' && /^\s*\d{1,3}(\.\d{1,15})?\s*%?\s*$/.test(value);
  const number = isText ? Number(value.replace('%', '')) : value;
  const isHandled = typeof number === 'number' && (number === 0 || (number >= 1 && number <= 100));
  return isHandled && Number.isInteger(value) ? undefined : { found: `percentage ${shapeOf(value)}`, isHandled };
};

export const checkId: ShapeCheck = (value) => {
  const isHandled = idOf(value) !== undefined;
  return isHandled && typeof value === 'number' ? undefined : { found: `id ${shapeOf(value)}`, isHandled };
};

/** The shape of a product in an order; undefined for the documented shape. */
function productShape(kind: ProductKind, entry: unknown): string | undefined {
  if (!isObject(entry)) return idOf(entry) === undefined ? shapeOf(entry) : 'bare ids';
  if (entry[`${kind}_id`] !== undefined) return `{${kind}_id}`;
  if (readProductList([entry], kind)?.isWhole !== true) return 'records of another form';
  if (typeof entry.id === 'string') return 'records whose id is a text';
  return typeof entry.title === 'string' ? undefined : 'records without a title';
}

/** Uses the same reader as the tools' answers to decide what is handled. An empty list does not show its entries. */
export function productDifferences(kind: ProductKind, orders: readonly JsonRecord[]): Differences {
  const listOf = (order: JsonRecord) => order[productLists[kind]];
  const shown = orders.filter((order) => {
    const list = listOf(order);
    return !Array.isArray(list) || list.length > 0;
  });
  return differencesIn(shown, (order) => {
    const isHandled = !readProducts(order).unread.includes(kind);
    const list = listOf(order);
    const shape = Array.isArray(list)
      ? list.map((entry) => productShape(kind, entry)).find((one) => one !== undefined)
      : `the list is ${shapeOf(list)}`;
    const found = shape ?? (isHandled ? undefined : 'another key that may list products');
    return found === undefined ? undefined : { found, isHandled };
  });
}

const rowsOf = (list: unknown): JsonRecord[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** The lists of lessons of each module and of lessons without a module. */
function lessonLists({ modules, ungrouped_lessons: ungrouped }: JsonRecord): unknown[] {
  return [...rowsOf(modules).map(({ lessons }) => lessons), ungrouped];
}

function listProblem(name: string, list: unknown): string[] {
  if (!Array.isArray(list)) return [`${name} is ${shapeOf(list)}`];
  const nonRecords = list.length - rowsOf(list).length;
  return nonRecords === 0 ? [] : [`entries of ${name} that are not records: ${nonRecords}`];
}

/** Compares both levels of a course with the documented fields. */
export function structureDifferences(structure: JsonRecord): readonly Difference[] {
  const modules = rowsOf(structure.modules);
  const lessons = lessonLists(structure).flatMap(rowsOf);
  const hasModules = (module: JsonRecord) =>
    ['modules', 'children', 'sections', 'submodules'].some((key) => rowsOf(module[key]).length > 0);
  const within = (record: string, found: Differences = []) =>
    found.map((one) => ({ ...one, found: `in ${record}: ${one.found}` }));
  const problems = [
    ...listProblem('modules', structure.modules),
    ...listProblem('ungrouped_lessons', structure.ungrouped_lessons),
    ...new Set(modules.flatMap((module) => listProblem('lessons of a module', module.lessons))),
    ...(modules.some(hasModules) ? ['a module contains modules'] : []),
  ];
  return [
    ...problems.flatMap((problem) => differs(problem)),
    ...within('a module', fieldDifferences(courseModule, modules, ['lessons', 'sequence'])),
    ...within('a lesson', fieldDifferences(lessonSummary, lessons, ['sequence'])),
  ];
}

function sequenceProblem(list: readonly JsonRecord[]): readonly Difference[] {
  const numbers = list.map(({ sequence }) => sequence);
  const odd = numbers.findIndex((number) => !Number.isInteger(number));
  if (odd >= 0) return differs(`a sequence is ${shapeOf(numbers[odd])}`);
  if (new Set(numbers).size < numbers.length) return differs('a sequence is repeated in its list');
  const isSorted = numbers.every((number, index) => index === 0 || Number(numbers[index - 1]) < Number(number));
  return isSorted ? holds : differs('a list is not in the order of its sequences', true);
}

/** Undefined if every list is empty. */
export function sequenceDifferences(structure: JsonRecord): Differences {
  const lists = [structure.modules, ...lessonLists(structure)].map(rowsOf).filter((list) => list.length > 0);
  if (lists.length === 0) return undefined;
  const problems = lists.flatMap(sequenceProblem);
  return [...new Map(problems.map((problem) => [problem.found, problem])).values()];
}

/** Lessons that are listed more than once. Undefined without lessons. */
export function repeatedLessons(structure: JsonRecord): Differences {
  const lessons = lessonLists(structure).flatMap(rowsOf);
  const ids = lessons.flatMap(({ id }) => idOf(id) ?? []);
  const repeated = ids.length - new Set(ids).size;
  if (ids.length === 0) return undefined;
  return repeated === 0 ? holds : differs(`lessons listed more than once: ${repeated}`);
}

/** The list under the first of these keys with a value. Only keys named here are printed: any other could be personal. */
function listInDetails(
  details: JsonRecord,
  [assumed, other]: readonly [string, string],
  what: string,
  check: ShapeCheck,
): readonly Difference[] {
  const key = [assumed, other].find((name) => details[name] !== undefined && details[name] !== null);
  if (key === undefined) return differs(`details show no ${assumed}`);
  const { [key]: list } = details;
  if (!Array.isArray(list)) return differs(`${what} are ${shapeOf(list)}`);
  const moved = key === assumed ? holds : differs(`details show no ${assumed}, but ${key}`, true);
  return [...moved, ...(differencesIn(list, check) ?? [])];
}

function orderShape(entry: unknown): string | undefined {
  if (!isObject(entry)) return shapeOf(entry);
  if (entry.id === undefined) return 'orders without an id';
  if (typeof entry.id !== 'string') return 'orders with another kind of id than the list of orders';
  return entry.status === undefined || entry.courses === undefined ? 'orders without status or products' : undefined;
}

export function paidOrderDifferences(details: JsonRecord): readonly Difference[] {
  return listInDetails(details, ['paid_orders', 'orders'], 'the paid orders', (entry) => {
    const found = orderShape(entry);
    return found === undefined ? undefined : { found, isHandled: false };
  });
}

/** Counts an entry as handled if the tools' answers read it. */
export function enrolledCourseDifferences(details: JsonRecord): readonly Difference[] {
  return listInDetails(details, ['enrolled_courses', 'courses'], 'the enrolled courses', (entry) => {
    if (isObject(entry) && readProductList([entry], 'course')?.isWhole === true) return undefined;
    const isHandled = readProductList([entry], 'course', false)?.isWhole === true;
    return { found: isObject(entry) ? 'records of another form' : shapeOf(entry), isHandled };
  });
}

/** One assumption of the program about the platform. docs/internals/api-assumptions.md has a row for each. */
export interface Assumption {
  readonly id: string;
  readonly statement: string;
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
