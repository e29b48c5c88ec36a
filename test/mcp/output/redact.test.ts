import { expect, test } from 'vitest';
import { createRedactor } from '../../../src/mcp/output/redact.ts';

const secret = 'key "with"\\marks';
const redact = createRedactor([secret]);

test.each([
  ['a value', { a: [`the ${secret}`] }],
  ['a key', { [secret]: 1 }],
  ['a quotation', { a: JSON.stringify(secret) }],
  ['a quotation of a quotation', { a: JSON.stringify(JSON.stringify(secret)) }],
])('a secret in %s is hidden', (_where, value) => {
  const shown = [undefined, JSON.stringify(value)].map((json) => JSON.stringify(redact(value, json)));
  expect(shown[0]).toMatch(/^(?!.*marks).*\[hidden\]/);
  expect(shown[1]).toBe(shown[0]);
});
