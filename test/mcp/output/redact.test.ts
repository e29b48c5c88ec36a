import { expect, test } from 'vitest';
import { createRedactor } from '../../../src/mcp/output/redact.ts';

const secret = 'key "with"\\marks';
const redact = createRedactor([secret]);

test.each([
  ['a value', { a: [`the ${secret}`] }],
  ['a key', { [secret]: 1 }],
  ['a quotation', { a: JSON.stringify(secret) }],
  ['a quotation of a quotation', { a: JSON.stringify(JSON.stringify(secret)) }],
])('a secret in %s is hidden, with and without the JSON text', (_where, value) => {
  const shown = redact(value, JSON.stringify(value));
  expect(shown).toEqual(redact(value));
  expect(JSON.stringify(shown)).toContain('[hidden]');
});

test('data without a secret are not copied', () => {
  const data = { a: ['key "with"'] };
  expect(redact(data, JSON.stringify(data))).toBe(data);
});
