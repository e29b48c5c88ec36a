import { expect } from 'vitest';
import type { ToolAnswer } from './connect.ts';

/** Checks that an answer is an error with this code, readable for clients and people. Returns its text. */
export function expectRefusal({ isError, text, structured }: ToolAnswer, code: string): string {
  expect(isError, text).toBe(true);
  expect(structured).toBeUndefined();
  expect(text.split(':')[0]).toBe(code);
  return text;
}

/** The same for a refusal of the API: its status and the request id are passed on. */
export function expectApiRefusal(answer: ToolAnswer, code: string, status: number): string {
  const text = expectRefusal(answer, code);
  expect(text).toContain(`API: ${status}`);
  expect(text).toMatch(/^Request id: \S+$/m);
  return text;
}

/** Requests that a call sent. */
export function requestsOf({ meta }: ToolAnswer): unknown {
  const budget: unknown = meta['academy/budget'];
  return typeof budget === 'object' && budget !== null && 'requests' in budget ? budget.requests : undefined;
}
