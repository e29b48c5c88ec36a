import { expect, test } from 'vitest';
import { operations } from '../../../src/contract/index.ts';
import { argumentSchema } from '../../../src/contract/operation.ts';
import { formatOf } from '../../../src/contract/schemas/field-format.ts';

const namesOf = ({ params, query, body }: (typeof operations)[number]) => Object.keys({ ...params, ...query, ...body });

test('exactly the arguments that hold an email, an amount or a time mean more than their letters', () => {
  const marked = operations.flatMap((operation) =>
    namesOf(operation).map((name) => [name, formatOf(argumentSchema(operation, name))] as const),
  );
  const named = new Map(marked);
  expect([...named].filter(([, meaning]) => meaning !== undefined).sort()).toEqual([
    ['created_after', 'time'],
    ['created_before', 'time'],
    ['email', 'email'],
    ['launch_date', 'time'],
    ['price', 'decimal'],
    ['user_email', 'email'],
  ]);
  // The same name means the same in every operation.
  for (const [name, meaning] of marked) expect(meaning, name).toBe(named.get(name));
});
