import { readProductList } from '../../insights/sales/products-in-order.ts';
import { isObject } from '../../shared/json.ts';
import type { Difference, JsonRecord } from './assumption.ts';
import { differencesIn, differs, shapeOf } from './mask-value.ts';

// The two lists in student details. Only the keys named here are ever printed: any other key could be personal.

const orderKeys = ['paid_orders', 'orders'] as const;
const courseKeys = ['enrolled_courses', 'courses'] as const;

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

/** Counts an entry as handled if the tools' answers read it. */
export function enrolledCourseDifferences(details: JsonRecord): readonly Difference[] {
  const { value, moved } = findKey(details, courseKeys);
  if (value === undefined) return moved;
  if (!Array.isArray(value)) return differs(`the enrolled courses are ${shapeOf(value)}`);
  const shapes = differencesIn(value, (entry) => {
    if (isObject(entry) && readProductList([entry], 'course')?.isWhole === true) return undefined;
    const isHandled = readProductList([entry], 'course', false)?.isWhole === true;
    return { shape: isObject(entry) ? 'records of another form' : shapeOf(entry), isHandled };
  });
  return [...moved, ...(shapes ?? [])];
}
