import type * as z from 'zod';

const kinds: Partial<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  array: 'a list',
};

const unitNames: Partial<Record<string, [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

/** "must have at most 200 characters". `origin` is the kind of value, as zod names it. */
export function atMost(limit: number, origin: 'string' | 'array'): string {
  return bound('at most', origin, limit);
}

function bound(word: string, origin: string, limit: unknown): string {
  const units = unitNames[origin];
  if (units === undefined) return `must be ${word} ${limit}`;
  return `must have ${word} ${limit} ${units[limit === 1 ? 0 : 1]}`;
}

/** Says what an argument must be, for a reader who knows no schemas. A schema's own message takes precedence. */
export const zodMessages: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_big':
      return bound('at most', issue.origin, issue.maximum);
    case 'too_small':
      return bound('at least', issue.origin, issue.minimum);
    default:
      return 'has an invalid value';
  }
};
