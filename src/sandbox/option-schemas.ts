import * as z from 'zod';

// The messages name the valid values: the user who starts a sandbox reads them.

export function wholeNumber(minimum: number, maximum: number) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int(message).min(minimum, message).max(maximum, message);
}

export function decimalNumber(minimum: number, maximum: number) {
  const message = `must be a number from ${minimum} to ${maximum}`;
  return z.number(message).min(minimum, message).max(maximum, message);
}

export function oneOf<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.enum(names, `must be one of ${names.join(', ')}`);
}

export function listOf<Item extends z.ZodType>(item: Item, what: string) {
  return z.array(item, `must be a list of ${what}`);
}

/** An object with only these fields. */
export function optionsObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `unknown setting ${issue.keys.join(', ')}` : 'must be an object',
  });
}
