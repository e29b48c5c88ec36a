import { expect, test } from 'vitest';
import { operations } from '../../../src/contract/index.ts';
import { argumentSchema } from '../../../src/contract/operation.ts';
import { formatOf } from '../../../src/contract/schemas/input-fields.ts';

const namesOf = ({ params, query, body }: (typeof operations)[number]) => Object.keys({ ...params, ...query, ...body });

test('exactly the arguments for emails, amounts and times have a format', () => {
  const marked = operations.flatMap((operation) =>
    namesOf(operation).map((name) => [name, formatOf(argumentSchema(operation, name))] as const),
  );
  const named = new Map(marked);
  expect([...named].filter(([, format]) => format !== undefined).sort()).toEqual([
    ['created_after', 'time'],
    ['created_before', 'time'],
    ['email', 'email'],
    ['launch_date', 'time'],
    ['price', 'decimal'],
    ['user_email', 'email'],
  ]);
  // An argument name has the same format in every operation.
  for (const [name, format] of marked) expect(format, name).toBe(named.get(name));
});
