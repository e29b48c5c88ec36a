import * as z from 'zod';
import type { Difference, JsonRecord } from './assumption.ts';
import { shapeOf } from './mask-value.ts';

function isAsDocumented(type: unknown, value: unknown): boolean {
  return type instanceof z.ZodType && type.safeParse(value).success;
}

/**
 * Compares records with the documented fields. `checkedElsewhere` are fields with an assumption of their own. The result
 * contains only names of documented fields and shapes of values.
 */
export function fieldDifferences(
  schema: z.ZodObject,
  rows: readonly JsonRecord[],
  checkedElsewhere: readonly string[] = [],
): readonly Difference[] | undefined {
  if (rows.length === 0) return undefined;
  const names = Object.keys(schema.shape).filter((name) => !checkedElsewhere.includes(name));
  const missing = names.filter((name) => rows.some((row) => row[name] === undefined));
  const isOdd = (name: string, { [name]: value }: JsonRecord) =>
    value !== undefined && !isAsDocumented(schema.shape[name], value);
  const empty = names.filter((name) => rows.some((row) => row[name] === null && isOdd(name, row)));
  const others = names.flatMap((name) => {
    const odd = rows.find((row) => row[name] !== null && isOdd(name, row));
    return odd === undefined ? [] : [`${name} is ${shapeOf(odd[name])}`];
  });
  return [
    // A missing field causes no error: answers only leave it out.
    ...(missing.length === 0 ? [] : [{ found: `missing: ${missing.join(', ')}`, isHandled: false }]),
    ...(empty.length === 0 ? [] : [{ found: `null: ${empty.join(', ')}`, isHandled: true }]),
    ...(others.length === 0 ? [] : [{ found: others.join(', '), isHandled: false }]),
  ];
}
