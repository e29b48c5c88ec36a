import { expect } from 'vitest';
import { AcademyError } from '../../src/shared/errors.ts';
import type { ToolAnswer } from './connect.ts';

/** Checks that an answer is an error with this code, readable for clients and people. Returns its text. */
export function expectRefusal({ isError, text, structured }: ToolAnswer, code: string): string {
  expect(isError, text).toBe(true);
  expect(structured).toBeUndefined();
  expect(text.split(':')[0]).toBe(code);
  return text;
}

/** The error that a call throws; fails if it throws none, or one of another name. */
export function thrownBy(call: () => unknown, name = 'AcademyError'): AcademyError {
  try {
    call();
  } catch (error) {
    if (error instanceof AcademyError && error.name === name) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Holds an answer to a plan that was not carried out, with the same lines in both forms. Returns its text. */
export function expectPlan({ isError, text, structured }: ToolAnswer): string {
  expect(isError, text).toBe(false);
  expect(structured).toMatchObject({ outcome: 'not_applied' });
  expect(text).toMatch(/^Plan, nothing was changed: /);
  const lines = [structured?.plan, structured?.next].flat().map(String);
  expect(lines.filter((line) => !text.includes(line))).toEqual([]);
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
