import { expect, test } from 'vitest';
import * as z from 'zod';
import { dateOrTime } from '../../../src/contract/schemas/date-time.ts';
import * as fields from '../../../src/contract/schemas/input-fields.ts';
import { describedOnce, shapedElsewhere } from '../../../src/contract/schemas/listed-form.ts';
import { idOrSlug } from '../../../src/contract/schemas/path-segment.ts';
import { withConfirmation } from '../../../src/mcp/confirmation/confirm.ts';
import { createConfirmCodes } from '../../../src/mcp/confirmation/confirm-code.ts';
import { maxLengthOf, tooLong } from '../../../src/mcp/input/bounds.ts';
import { documentedInput, inputJsonSchema, outputJsonSchema } from '../../../src/mcp/input/json-schema.ts';
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

const moves = z.array(z.strictObject({ id: z.int().min(1) })).max(2_000);
const outline = z.strictObject({ ids: z.array(z.int()) }).describe('The whole course');

const input = z.strictObject({
  id: describedOnce(z.int().min(1).describe('Its id')),
  description: describedOnce(z.string().min(1).max(64).describe('What it is for')).optional(),
  limit: z.int().min(1).max(500).describe('How many; default 20'),
  place: z.int().min(2).max(10_000).describe('Its place'),
  type: z.enum(['bundle', 'offer', 'course']),
  only: z.enum(['offer']),
  moves: shapedElsewhere(moves.describe('Only what moves').optional()),
  outline: shapedElsewhere(outline.optional()),
});

test('tools/list leaves out of the arguments what the server enforces and what the instructions say', () => {
  expect(inputJsonSchema(input)).toEqual({
    type: 'object',
    properties: {
      id: { type: 'integer' },
      description: { type: 'string' },
      limit: { type: 'integer', description: 'How many; default 20' },
      place: { type: 'integer', minimum: 2, description: 'Its place' },
      type: { type: 'string', enum: ['bundle', 'course'] },
      only: { type: 'string', enum: ['offer'] },
      moves: { type: 'array', items: { type: 'object' } },
      outline: { type: 'object' },
    },
    required: ['id', 'limit', 'place', 'type', 'only'],
  });
});

test('the documents show the same arguments in full', () => {
  expect(documentedInput(input)).toMatchObject({
    additionalProperties: false,
    properties: {
      id: { minimum: 1, description: 'Its id' },
      description: { description: 'What it is for' },
      type: { enum: ['bundle', 'offer', 'course'] },
      moves: { description: 'Only what moves', items: { properties: { id: { minimum: 1 } } } },
      outline: { properties: { ids: { type: 'array' } } },
    },
  });
});

test('tools/list shows the names and types of an answer', () => {
  const output = z.looseObject({
    description: z.string().describe('Its description'),
    rows: z.array(z.looseObject({ id: z.int().describe('Its id') })),
    record: z.looseObject({}),
  });
  expect(outputJsonSchema(output)).toEqual({
    type: 'object',
    properties: {
      description: { type: 'string' },
      rows: {
        type: 'array',
        items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      },
      record: { type: 'object' },
    },
    required: ['description', 'rows', 'record'],
  });
});
