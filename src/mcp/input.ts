import type * as z from 'zod';
import { oneLine } from '../clean.ts';
import type { Operation } from '../contract/operation.ts';
import { AcademyError } from '../errors.ts';
import { quoted } from '../quote.ts';
import { plainWords } from './plain-words.ts';

const mostReasons = 8;

function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || 'the arguments';
}

function explain(issue: z.core.$ZodIssue, schema: z.ZodObject): string {
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.map((key) => quoted(oneLine(key, 60))).join(', ');
    return `unknown argument ${unknown}; valid: ${Object.keys(schema.shape).join(', ') || 'none'}`;
  }
  const message = issue.input === undefined ? 'is required' : issue.message;
  // Some messages name what is wrong instead of saying what must be.
  return `${nameOf(issue.path)}${message.startsWith(':') ? '' : ' '}${message}`;
}

/** The refusal of arguments, one reason each. Nothing was sent. */
export function refuseInput(reasons: Iterable<string>): AcademyError {
  const hint = 'Correct the arguments and call again.';
  return new AcademyError('invalid_input', `${[...reasons].join('; ')}. Nothing was sent`, { hint });
}

/** Checks what an agent sent. The refusal names each argument and the limit that it broke. Nothing is sent. */
export function parseInput<Schema extends z.ZodObject>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given ?? {}, { reportInput: true, error: plainWords });
  if (parsed.success) return parsed.data;
  // One value may break several limits that have the same words.
  throw refuseInput(new Set(parsed.error.issues.slice(0, mostReasons).map((issue) => explain(issue, schema))));
}

/** An update that changes nothing is a mistake of the caller, not a request. */
export function requireChange(operation: Operation, input: Record<string, unknown>): void {
  const fields = Object.keys(operation.body);
  if (fields.some((field) => input[field] !== undefined)) return;
  throw refuseInput([`nothing to change: give at least one of ${fields.join(', ')}`]);
}
