import { isObject } from '../../shared/json.ts';
import type { Difference } from './assumption.ts';

const maxShapeLength = 40;

/** Describes a value without showing it, since it may be personal: digits become 9, letters become a. */
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

/** Returns how a value differs from the expected shape; undefined if it does not. */
export type ShapeCheck<Value> = (value: Value) => { shape: string; isHandled: boolean } | undefined;

const maxShapes = 3;

/** Counts values by the shape in which they differ. Undefined without values. */
export function differencesIn<Value>(
  values: readonly Value[],
  check: ShapeCheck<Value>,
): readonly Difference[] | undefined {
  if (values.length === 0) return undefined;
  const shapes = new Map<string, { shape: string; count: number; isHandled: boolean }>();
  for (const value of values) {
    const difference = check(value);
    if (difference === undefined) continue;
    const { shape, isHandled } = difference;
    // "99,99" and "9,99" count as one shape. The first one found is shown.
    const key = shape.replace(/(9|a)\1+/g, '$1');
    const known = shapes.get(key) ?? { shape, count: 0, isHandled };
    shapes.set(key, { ...known, count: known.count + 1 });
  }
  const sorted = [...shapes.values()].sort((one, other) => Number(one.isHandled) - Number(other.isHandled));
  return sorted
    .slice(0, maxShapes)
    .map(({ shape, count, isHandled }) => ({ found: `${shape} (${count} of ${values.length})`, isHandled }));
}

export const holds: readonly Difference[] = [];

export function differs(found: string, isHandled = false): readonly Difference[] {
  return [{ found, isHandled }];
}
