import * as z from 'zod';

// Whoever starts a sandbox reads these words: each says what the value must be.

export function wholeNumber(minimum: number, maximum: number) {
  const words = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int(words).min(minimum, words).max(maximum, words);
}

export function decimalNumber(minimum: number, maximum: number) {
  const words = `must be a number from ${minimum} to ${maximum}`;
  return z.number(words).min(minimum, words).max(maximum, words);
}

export function oneOf<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z.enum(names, `must be one of ${names.join(', ')}`);
}

export function listOf<Item extends z.ZodType>(item: Item, what: string) {
  return z.array(item, `must be a list of ${what}`);
}

/** An object without other fields than these. */
export function optionsObject<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `there is no setting ${issue.keys.join(', ')}` : 'must be an object',
  });
}
