import { expect, test } from 'vitest';
import * as z from 'zod';
import { describedOnce, shapedElsewhere } from '../../../src/contract/schemas/input-fields.ts';
import { documentedInput, inputJsonSchema, outputJsonSchema } from '../../../src/mcp/input/json-schema.ts';

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
