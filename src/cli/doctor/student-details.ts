import { readProducts } from '../../insights/sales/products-in-order.ts';
import { isObject } from '../../shared/json.ts';
import type { Difference, Row } from './assumption.ts';
import { idOf } from './response-records.ts';
import { differencesIn, differs, formOf } from './value-shapes.ts';

// The two lists of the details of a student. Only the keys named here are ever printed: any other key could be personal.

const orderKeys = ['paid_orders', 'orders', 'purchases'] as const;
const courseKeys = ['enrolled_courses', 'courses', 'enrollments', 'enrollments', 'course_ids'] as const;

/** The first key with a value; a difference if it is another than the assumed one, or none. */
function found(details: Row, keys: readonly [string, ...string[]]): { value: unknown; moved: readonly Difference[] } {
  const [assumed] = keys;
  const key = keys.find((name) => details[name] !== undefined && details[name] !== null);
  if (key === undefined) return { value: undefined, moved: differs(`details show no ${assumed}`) };
  const moved = key === assumed ? [] : differs(`details show no ${assumed}, but ${key}`, true);
  return { value: details[key], moved };
}

function orderForm(entry: unknown): string | undefined {
  if (!isObject(entry)) return formOf(entry);
  if (entry.id === undefined) return 'orders without an id';
  if (typeof entry.id !== 'string') return 'orders with another kind of id than the list of orders';
  return entry.status === undefined || entry.courses === undefined ? 'orders without status or products' : undefined;
}

export function paidOrderDifferences(details: Row): readonly Difference[] {
  const { value, moved } = found(details, orderKeys);
  if (value === undefined) return moved;
  if (!Array.isArray(value)) return differs(`the paid orders are ${formOf(value)}`);
  const forms = differencesIn(value, (entry) => {
    const form = orderForm(entry);
    return form === undefined ? undefined : { form, isRead: false };
  });
  return [...moved, ...(forms ?? [])];
}

function courseForm(entry: unknown): string | undefined {
  if (!isObject(entry)) return idOf(entry) === undefined ? formOf(entry) : 'bare ids';
  if (entry.course_id !== undefined || isObject(entry.course)) return 'records of enrollments';
  return idOf(entry.id) === undefined ? 'courses without a readable id' : undefined;
}

/** What counts as read is what the answers read. */
export function enrolledCourseDifferences(details: Row): readonly Difference[] {
  const { value, moved } = found(details, courseKeys);
  if (value === undefined) return moved;
  const isRead = !readProducts({ courses: value }).unread.includes('course');
  if (!Array.isArray(value))
    return differs(`the enrolled courses are ${isObject(value) ? 'a map' : formOf(value)}`, isRead);
  const forms = differencesIn(value, (entry) => {
    const form = courseForm(entry);
    return form === undefined ? undefined : { form, isRead };
  });
  return [...moved, ...(forms ?? [])];
}
