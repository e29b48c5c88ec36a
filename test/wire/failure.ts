import { expect } from 'vitest';
import { apiKey, type Performed } from './perform.ts';

/** An error body as the API document shows it. */
export const problem = (code: string, message: string) => ({
  error: message,
  errors: [{ code, message }],
  request_id: 'req-7f3c1a',
});

/** The text of an error starts with its code and contains the expected words; it is only text and never contains the key. */
export function expectError({ answer }: Performed, code: string, says: readonly string[]): void {
  expect(answer.isError).toBe(true);
  expect(answer.structured).toBeUndefined();
  expect(answer.text.split(':')[0]).toBe(code);
  for (const words of says) expect(answer.text).toContain(words);
  expect(answer.text).not.toContain(apiKey);
  expect(answer.text).not.toMatch(/\n\s+at /);
}
