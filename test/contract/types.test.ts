import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { type OperationId, operations } from '../../src/contract/index.ts';
import { defineOperation, inputSchema, type PathParameter } from '../../src/contract/operation.ts';
import { bareRecord, listOf, objectResponse, type Tolerant } from '../../src/contract/schemas/response.ts';
import type { Handlers } from '../../src/sandbox/handler.ts';
import { handlers } from '../../src/sandbox/handlers/index.ts';

// The compiler runs these tests: a line with @ts-expect-error must not compile, or `npm run types` fails.

const words = {
  method: 'GET',
  summary: '',
  effect: 'read',
  repeat: 'safe',
  capability: 'admin_api',
  response: objectResponse(z.object({})),
} as const;

test('a path parameter without a schema does not compile', () => {
  defineOperation({ ...words, id: 'x.y', path: '/a/:one/b/:two', params: { one: z.string(), two: z.string() } });
  // @ts-expect-error `two` is missing
  defineOperation({ ...words, id: 'x.y', path: '/a/:one/b/:two', params: { one: z.string() } });
  // @ts-expect-error all are missing
  defineOperation({ ...words, id: 'x.y', path: '/a/:one/b' });
  // @ts-expect-error `three` is not in the path
  defineOperation({ ...words, id: 'x.y', path: '/a/:one', params: { one: z.string(), three: z.string() } });
  // @ts-expect-error the path has no parameters
  defineOperation({ ...words, id: 'x.y', path: '/a', params: { one: z.string() } });
  expectTypeOf<PathParameter<'/api/:product_type/x/:id'>>().toEqualTypeOf<'product_type' | 'id'>();
});

test('a write that does not say how to check its effect, or what it changes, does not compile', () => {
  const write = { ...words, id: 'x.y', path: '/a', effect: 'update' } as const;
  const changes = {
    checkWith: 'get_account',
    changes: ['orders'],
    undo: 'none',
    undoWith: 'nothing undoes it',
  } as const;
  const whole = defineOperation({ ...write, ...changes });
  expect(whole).toMatchObject(changes);
  // @ts-expect-error `checkWith` is missing
  expect(defineOperation({ ...write, changes: [] }).checkWith).toBeUndefined();
  // @ts-expect-error `changes` is missing
  expect(defineOperation({ ...write, checkWith: 'get_account' }).changes).toEqual([]);
});

test('a missing handler of the sandbox does not compile', () => {
  const { 'orders.getOrder': _left, ...others } = handlers;
  // @ts-expect-error `orders.getOrder` is missing
  const incomplete: Handlers = others;
  expect(Object.keys(incomplete)).not.toContain('orders.getOrder');
  expectTypeOf<keyof Handlers>().toEqualTypeOf<OperationId>();
  expect(Object.keys(handlers).sort()).toEqual(operations.map(({ id }) => id).sort());
});

test('a handler that returns the wrong shape does not compile', () => {
  // @ts-expect-error `title` is missing
  const wrong: Handlers['bundles.listBundles'] = () => ({ bundles: [{ id: 1 }] });
  expect(wrong).toBeTypeOf('function');
});

test('arguments of an operation are flat and typed', () => {
  const operation = defineOperation({
    ...words,
    id: 'x.z',
    path: '/a/:one',
    params: { one: z.int() },
    query: { two: z.string().optional() },
    body: { three: z.boolean() },
    response: listOf('things', z.object({ id: z.int() })),
  });
  const parsed = inputSchema(operation).parse({ one: 1, three: true });
  expectTypeOf(parsed).toEqualTypeOf<{ one: number; two?: string | undefined; three: boolean }>();
  expect(() => inputSchema(operation).parse({ one: 1, three: true, four: 4 })).toThrow(/four/);
});

test('a response may lack any field', () => {
  const answer = bareRecord('thing', z.object({ id: z.int(), inner: z.object({ name: z.string() }) }));
  expectTypeOf<Tolerant<z.infer<typeof answer.schema>>>().toEqualTypeOf<{
    id?: number | undefined;
    inner?: { name?: string | undefined } | undefined;
  }>();
  expect(answer.key).toBe('thing');
});

test('names of path, query and body fields never clash within an operation', () => {
  for (const operation of operations) {
    const names = [operation.params, operation.query, operation.body].flatMap((fields) => Object.keys(fields));
    expect(new Set(names).size, operation.id).toBe(names.length);
  }
});
