import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { coerce } from '../../../src/api/http/coerce.ts';
import { decodeAnswer, isAnotherRecord } from '../../../src/api/http/decode.ts';
import { operations } from '../../../src/contract/index.ts';
import { order } from '../../../src/contract/orders.ts';
import { bareRecord, listOf, objectResponse } from '../../../src/contract/schemas/response.ts';
import { AcademyError } from '../../../src/shared/errors.ts';
import { runsOf } from '../../support/long-form.ts';

const thing = z.object({
  id: z.int(),
  title: z.string(),
  on: z.boolean(),
  tags: z.array(z.string()),
  note: z.string().nullable(),
});
const silent = () => {};

test('missing fields stay missing, unknown ones are kept', () => {
  expect(coerce(thing, { id: 1, colour: { hue: 3 } }, silent)).toEqual({ id: 1, colour: { hue: 3 } });
});

test('values of a related type are converted', () => {
  const read = coerce(thing, { id: '7', title: 12, on: 'true', tags: [1, 'b'], note: null }, silent);
  expect(read).toEqual({ id: 7, title: '12', on: true, tags: ['1', 'b'], note: null });
});

test('a value that cannot be read is left out and reported', () => {
  const told: string[] = [];
  expect(coerce(thing, { id: 'seven', on: 'maybe', title: 'x' }, (path) => told.push(path))).toEqual({ title: 'x' });
  expect(told).toEqual(['$.id', '$.on']);
});

test('entries of another form are left out of a list and reported', () => {
  const told: string[] = [];
  const things = z.object({ things: z.array(thing) });
  const read = coerce(things, { things: [3, 'Starter', null, { id: '4', Title: 'x' }] }, (path) => told.push(path));
  expect(read).toEqual({ things: [{ id: 4, Title: 'x' }] });
  expect(told).toEqual(['$.things.0', '$.things.1', '$.things.2']);
});

test('the products of an order stay unchanged, so that one reader reads them', () => {
  const sent = { courses: ['Oil', null, { id: '4' }], bundles: { 3: 'Starter' }, digital_products: 'Brushes' };
  expect(coerce(order, sent, silent)).toEqual(sent);
});

test('a record is found bare, under its key, or under data', () => {
  const answer = bareRecord('thing', thing);
  for (const body of [{ id: 1 }, { thing: { id: 1 } }, { data: { id: 1 } }]) {
    expect(decodeAnswer(answer, body, silent)).toEqual({ id: 1 });
  }
});

test('a list is found bare, under its key, or under the only key with a list', () => {
  const answer = listOf('things', thing, z.object({ meta: z.object({ total: z.int() }) }));
  for (const body of [[{ id: 1 }], { things: [{ id: 1 }] }, { data: [{ id: 1 }] }]) {
    expect(decodeAnswer(answer, body, silent)).toEqual(
      Array.isArray(body) ? { items: [{ id: 1 }] } : expect.objectContaining({ items: [{ id: 1 }] }),
    );
  }
  expect(decodeAnswer(answer, { things: [], meta: { total: '3' } }, silent)).toEqual({ items: [], meta: { total: 3 } });
});

test('a body that cannot be the answer is an error, not an empty answer', () => {
  for (const body of ['text', 7, null, { error: 'x' }, { things: 'none' }]) {
    expect(() => decodeAnswer(listOf('things', thing), body, silent), JSON.stringify(body)).toThrow(AcademyError);
  }
  for (const body of ['text', 7, null, [1]])
    expect(() => decodeAnswer(objectResponse(thing), body, silent)).toThrow(AcademyError);
});

test('every operation parses any JSON, or refuses it with one of our errors', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...operations), (body, operation) => {
      try {
        expect(decodeAnswer(operation.response, body, silent)).toBeTypeOf('object');
      } catch (error) {
        expect(error).toBeInstanceOf(AcademyError);
      }
    }),
    { numRuns: runsOf(3_000) },
  );
});

test('a field named __proto__ is data', () => {
  const read = coerce(thing, JSON.parse('{"__proto__": {"admin": true}, "id": 1}'), silent);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
  expect((read as { admin?: boolean }).admin).toBeUndefined();
  expect(read.id).toBe(1);
});

test('a record that names another student, course or order is not the one that was asked for', () => {
  expect(isAnotherRecord({ course_id: 7 }, { id: 8 })).toBe(true);
  expect(isAnotherRecord({ course_id: 7 }, { course: { id: 8 }, modules: [] })).toBe(true);
  expect(isAnotherRecord({ course_id: 7, user_email: 'ann@example.com' }, { id: 3, email: 'bo@example.com' })).toBe(
    true,
  );
  expect(isAnotherRecord({ course_id: 7, user_email: 'ann@example.com' }, { id: 3, email: 'Ann@Example.com' })).toBe(
    false,
  );
  for (const shown of [{ id: 7 }, { id: '7' }, { course: { id: 7 } }, { title: 'Ink' }, { id: null }])
    expect(isAnotherRecord({ course_id: 7 }, shown)).toBe(false);
  expect(isAnotherRecord({ order_id: 'A1' }, { id: 'a1' })).toBe(false);
  // Digits are an id or a slug.
  for (const shown of [{ id: 7, slug: 'oil' }, { id: 8, slug: '7' }, { title: 'Ink' }])
    expect(isAnotherRecord({ id_or_slug: '7' }, shown)).toBe(false);
  for (const shown of [{ id: 7, slug: 'Oil' }, { id: 7 }])
    expect(isAnotherRecord({ id_or_slug: 'oil' }, shown)).toBe(false);
  expect(isAnotherRecord({ id_or_slug: '7' }, { id: 8, slug: 'ink' })).toBe(true);
  expect(isAnotherRecord({ id_or_slug: 'oil' }, { id: 7, slug: 'ink' })).toBe(true);
});
