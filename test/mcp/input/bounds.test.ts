import { expect, test } from 'vitest';
import * as z from 'zod';
import * as fields from '../../../src/contract/schemas/input-fields.ts';
import { dateOrTime, idOrSlug } from '../../../src/contract/schemas/input-fields.ts';
import { withConfirmation } from '../../../src/mcp/confirmation/confirm.ts';
import { createConfirmCodes } from '../../../src/mcp/confirmation/confirm-code.ts';
import { maxLengthOf, tooLong } from '../../../src/mcp/input/parse-input.ts';
import { tools } from '../../../tools/index.ts';
import { prompts } from '../../../tools/prompts.ts';

type Json = Record<string, unknown>;

const maxText = 100_000;
const maxEntries = 2_000;

/** Every text and list of a schema without its own effective limit. */
function unbounded(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => unbounded(one, path));
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, maxLength, maxItems, properties, items, anyOf, allOf } = schema as Json;
  const isText = type === 'string' && !('enum' in schema) && !('const' in schema);
  const isEndless = isText && !(Number(maxLength) <= maxText);
  const isEndlessList = type === 'array' && !(Number(maxItems) <= maxEntries);
  const fields = Object.entries((properties ?? {}) as Json);
  return [
    ...(isEndless || isEndlessList ? [path] : []),
    ...fields.flatMap(([name, field]) => unbounded(field, `${path}.${name}`)),
    ...[items, anyOf, allOf].flatMap((inner) => unbounded(inner, path)),
  ];
}

test('every text and list of every tool and prompt has its own limit', () => {
  const codes = createConfirmCodes();
  const guarded = tools.map((tool) => withConfirmation(tool, { policy: 'preview', codes, lockdown: true }));
  const all = [...guarded, ...prompts];
  const endless = all.flatMap(({ name, input }) => unbounded(z.toJSONSchema(input, { io: 'input' }), name));
  expect(endless).toEqual([]);
  expect(unbounded(z.toJSONSchema(z.object({ a: z.array(z.string()) })), 'x')).toEqual(['x.a', 'x.a']);
});

test('lengths are checked before a schema reads, trims or searches anything', () => {
  let reads = 0;
  const read = (value: unknown) => {
    reads += 1;
    return value;
  };
  const counted = z.preprocess(read, z.string().max(9)).optional();
  const schema = z.strictObject({ a: counted, b: z.array(counted).max(2), c: z.int(), d: z.string() });
  const given = { a: ' '.repeat(10), b: ['x', ' '.repeat(10)], c: '1'.repeat(101), d: 'x'.repeat(101) };
  expect(tooLong(schema, given)).toEqual([
    'a must have at most 9 characters',
    'b.1 must have at most 9 characters',
    'c must have at most 100 characters',
    'd must have at most 100 characters',
  ]);
  expect(tooLong(schema, { b: Array(3).fill(' '.repeat(10)) })).toEqual(['b must have at most 2 entries']);
  expect(reads).toBe(0);
});

test('a text may be as long as the longest of its alternatives', () => {
  expect(maxLengthOf(z.union([z.boolean(), z.string().max(255), z.string().max(7).nullable()]))).toBe(255);
});

test('a text that is too long is not read any further', () => {
  const long = 'x'.repeat(1_000);
  for (const schema of [fields.email(''), fields.title(''), idOrSlug(''), dateOrTime('')]) {
    const { error } = schema.safeParse(long);
    expect(error?.issues.map(({ code }) => code)).toEqual(['too_big']);
  }
});
