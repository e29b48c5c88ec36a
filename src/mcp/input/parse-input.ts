import * as z from 'zod';
// Not by z.core: the bundle would hold all of zod, with its 50 languages.
import { $ZodCheckMaxLength } from 'zod/v4/core';
import type { Operation } from '../../contract/operation.ts';
import { quotable } from '../../shared/clean-text.ts';
import { firstOf, refuseInput } from '../../shared/invalid-input.ts';
import { isObject } from '../../shared/json.ts';
import { quoted } from '../../shared/quote-text.ts';
import { counted } from '../output/text-format.ts';

const kinds: Partial<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  array: 'a list',
};

const units: Partial<Record<string, string>> = { string: 'character', array: 'entry' };

/** "must have at most 200 characters". `origin` is the kind of value, as zod names it. */
export const atMost = (limit: number, origin: 'string' | 'array'): string => bound('at most', origin, limit);

function bound(word: string, origin: string, limit: number | bigint): string {
  const unit = units[origin];
  return unit === undefined ? `must be ${word} ${limit}` : `must have ${word} ${counted(Number(limit), unit)}`;
}

/** Says what an argument must be, for a reader who knows no schemas. A schema's own message takes precedence. */
const zodMessages: z.core.$ZodErrorMap = (issue) => {
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

// The length of texts and lists is checked before anything else, so that later checks, trims and searches are cheap.
// Nothing here reads a text, and only what the schema names is visited.

/** Characters of a text that is converted, such as "42" to 42, and of a text whose schema has no limit. */
const maxOtherLength = 100;

/** Entries of a list whose schema has no limit. */
const maxOther = 100;

/** Levels of nested objects and lists. No real message has ten. */
export const maxDepth = 64;

/** SDKs and JSON.stringify recurse at each level: deeper nesting would overflow the stack. */
export function isTooDeep(value: unknown, levels: number = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((entry) => isTooDeep(entry, levels - 1));
}

/** The schema inside optional, nullable and preprocessed ones. */
function withoutWrappers(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return withoutWrappers(schema.unwrap());
  if (schema instanceof z.ZodNonOptional || schema instanceof z.ZodDefault) return withoutWrappers(schema.unwrap());
  return schema instanceof z.ZodPipe ? withoutWrappers(schema.out) : schema;
}

export function maxLengthOf(schema: unknown): number {
  const bare = withoutWrappers(schema);
  if (bare instanceof z.ZodString) return bare.maxLength ?? maxOtherLength;
  return bare instanceof z.ZodUnion ? Math.max(...bare.options.map(maxLengthOf)) : maxOtherLength;
}

function maxEntries(schema: z.ZodArray): number {
  const checks = schema.def.checks ?? [];
  const bounds = checks.flatMap((check) => (check instanceof $ZodCheckMaxLength ? [check._zod.def.maximum] : []));
  return bounds.length === 0 ? maxOther : Math.min(...bounds);
}

function problemsOfFields(schema: z.ZodObject, value: Record<string, unknown>, path: string): string[] {
  return Object.entries(schema.shape).flatMap(([name, field]) =>
    Object.hasOwn(value, name) ? tooLong(field, value[name], path === '' ? name : `${path}.${name}`) : [],
  );
}

/** Each text and list of a value that is too long, with its path and limit. */
export function tooLong(schema: unknown, value: unknown, path = ''): string[] {
  const bare = withoutWrappers(schema);
  if (typeof value === 'string') {
    const longest = maxLengthOf(bare);
    return value.length > longest ? [`${path} ${atMost(longest, 'string')}`] : [];
  }
  if (bare instanceof z.ZodArray && Array.isArray(value)) {
    const max = maxEntries(bare);
    if (value.length > max) return [`${path} ${atMost(max, 'array')}`];
    return value.flatMap((entry, index) => tooLong(bare.element, entry, `${path}.${index}`));
  }
  return bare instanceof z.ZodObject && isObject(value) ? problemsOfFields(bare, value, path) : [];
}

const maxNames = 8;
const maxName = 60;

function explain(issue: z.core.$ZodIssue, schema: z.ZodObject): string {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, maxNames).map((key) => quoted(quotable(key, maxName)));
    const unknown = firstOf([...names, ...issue.keys.slice(maxNames)], maxNames, ', ');
    return `unknown argument ${unknown}; valid: ${Object.keys(schema.shape).join(', ') || 'none'}`;
  }
  const message = issue.input === undefined ? 'is required' : issue.message;
  // Some messages name the problem instead of the requirement.
  return `${issue.path.map(String).join('.') || 'the arguments'}${message.startsWith(':') ? '' : ' '}${message}`;
}

/** Throws `invalid_input` for texts and lists that are too long. Runs before any code that reads them. */
export function refuseLong(schema: z.ZodObject, args: unknown): void {
  if (isTooDeep(args)) throw refuseInput([`arguments must not be nested deeper than ${maxDepth} levels`]);
  const problems = tooLong(schema, args);
  if (problems.length > 0) throw refuseInput(problems);
}

/** Checks arguments. Throws `invalid_input` that names each invalid argument and its limit. Nothing is sent. */
export function parseInput<Schema extends z.ZodObject>(schema: Schema, args: unknown): z.output<Schema> {
  refuseLong(schema, args);
  const parsed = schema.safeParse(args ?? {}, { reportInput: true, error: zodMessages });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  // A value of another kind also breaks the limits of what was wanted: a text is no list of at most 10 entries.
  const otherKind = new Set(issues.flatMap(({ code, path }) => (code === 'invalid_type' ? [path.join('.')] : [])));
  const own = issues.filter(({ code, path }) => code === 'invalid_type' || !otherKind.has(path.join('.')));
  throw refuseInput(own.map((issue) => explain(issue, schema)));
}

/** Throws `invalid_input` for an update without a new value. */
export function requireChange(operation: Operation, input: Record<string, unknown>): void {
  const fields = Object.keys(operation.body);
  if (fields.some((field) => input[field] !== undefined)) return;
  throw refuseInput([`nothing to change: give at least one of ${fields.join(', ')}`]);
}
