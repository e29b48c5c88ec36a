import { readProducts } from '../../insights/sales/products-in-order.ts';
import { isObject } from '../../shared/json.ts';
import type { Difference, JsonRecord } from './assumption.ts';
import { differencesIn, differs, shapeOf } from './mask-value.ts';
import { idOf } from './response-records.ts';

// The two lists in student details. Only the keys named here are ever printed: any other key could be personal.

const orderKeys = ['paid_orders', 'orders', 'purchases'] as const;
const courseKeys = ['enrolled_courses', 'courses', 'enrollments', 'enrolments', 'course_ids'] as const;

/** Finds the first key with a value. `moved` is a difference if it is not the assumed key, or there is none. */
function findKey(
  details: JsonRecord,
  keys: readonly [string, ...string[]],
): { value: unknown; moved: readonly Difference[] } {
  const [assumed] = keys;
  const key = keys.find((name) => details[name] !== undefined && details[name] !== null);
  if (key === undefined) return { value: undefined, moved: differs(`details show no ${assumed}`) };
  const moved = key === assumed ? [] : differs(`details show no ${assumed}, but ${key}`, true);
  return { value: details[key], moved };
}

function orderShape(entry: unknown): string | undefined {
  if (!isObject(entry)) return shapeOf(entry);
  if (entry.id === undefined) return 'orders without an id';
  if (typeof entry.id !== 'string') return 'orders with another kind of id than the list of orders';
  return entry.status === undefined || entry.courses === undefined ? 'orders without status or products' : undefined;
}

export function paidOrderDifferences(details: JsonRecord): readonly Difference[] {
  const { value, moved } = findKey(details, orderKeys);
  if (value === undefined) return moved;
  if (!Array.isArray(value)) return differs(`the paid orders are ${shapeOf(value)}`);
  const shapes = differencesIn(value, (entry) => {
    const shape = orderShape(entry);
    return shape === undefined ? undefined : { shape, isHandled: false };
  });
  return [...moved, ...(shapes ?? [])];
}

function courseShape(entry: unknown): string | undefined {
  if (!isObject(entry)) return idOf(entry) === undefined ? shapeOf(entry) : 'bare ids';
  if (entry.course_id !== undefined || isObject(entry.course)) return 'records of enrollments';
  return idOf(entry.id) === undefined ? 'courses without a readable id' : undefined;
}

/** Counts an entry as handled if the tools' answers read it. */
export function enrolledCourseDifferences(details: JsonRecord): readonly Difference[] {
  const { value, moved } = findKey(details, courseKeys);
  if (value === undefined) return moved;
  const isHandled = !readProducts({ courses: value }).unread.includes('course');
  if (!Array.isArray(value))
    return differs(`the enrolled courses are ${isObject(value) ? 'a map' : shapeOf(value)}`, isHandled);
  const shapes = differencesIn(value, (entry) => {
    const shape = courseShape(entry);
    return shape === undefined ? undefined : { shape, isHandled };
  });
  return [...moved, ...(shapes ?? [])];
}
