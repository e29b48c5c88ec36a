import { isObject } from '../../shared/json.ts';
import type { Difference } from './assumption.ts';

const maxShapeLength = 40;

/** The form of a value without the value, since it may be personal: digits become 9, letters become a. */
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
    // Some symbols of money say more than a mask would; everything else outside of ASCII is replaced.
    .replace(/[^\x20-\x7e€£¥]/gu, '?');
  return typeof value === 'number' ? `a number such as ${masked}` : `"${masked}"`;
}

/** How a value differs from what is expected; undefined for one that does not. */
export type ShapeCheck<Value> = (value: Value) => { shape: string; isHandled: boolean } | undefined;

const maxShapes = 3;

/** Counts the forms in which values differ. Returns undefined for no values. */
export function differencesIn<Value>(
  values: readonly Value[],
  check: ShapeCheck<Value>,
): readonly Difference[] | undefined {
  if (values.length === 0) return undefined;
  const shapes = new Map<string, { shape: string; count: number; isHandled: boolean }>();
  for (const value of values) {
    const judged = check(value);
    if (judged === undefined) continue;
    const { shape, isHandled } = judged;
    // "99,99" and "9,99" are one form; the first stands for all.
    const key = shape.replace(/(9|a)\1+/g, '$1');
    const known = shapes.get(key) ?? { shape, count: 0, isHandled };
    shapes.set(key, { ...known, count: known.count + 1 });
  }
  const sorted = [...shapes.values()].sort((one, other) => Number(one.isHandled) - Number(other.isHandled));
  return sorted
    .slice(0, maxShapes)
    .map(({ shape, count, isHandled }) => ({ seen: `${shape} (${count} of ${values.length})`, isHandled }));
}

export const holds: readonly Difference[] = [];

export function differs(seen: string, isHandled = false): readonly Difference[] {
  return [{ seen, isHandled }];
}
