import type * as z from 'zod';
import type { Operation } from '../contract/operation.ts';
import { AcademyError } from '../errors.ts';

const mostReasons = 8;

function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || 'the arguments';
}

function explain(issue: z.core.$ZodIssue, schema: z.ZodObject): string {
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.map((key) => `"${key.slice(0, 60)}"`).join(', ');
    return `unknown argument ${unknown}; valid: ${Object.keys(schema.shape).join(', ') || 'none'}`;
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) return `${nameOf(issue.path)} is required`;
  const message = issue.message.replace(/^(Invalid (input|option)|Too (big|small)): /, '');
  return `${nameOf(issue.path)}: ${message}`;
}

/** Checks what an agent sent. The refusal names each argument and the limit that it broke. Nothing is sent. */
export function parseInput<Schema extends z.ZodObject>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  const reasons = parsed.error.issues.slice(0, mostReasons).map((issue) => explain(issue, schema));
  throw new AcademyError('invalid_input', `${reasons.join('; ')}. Nothing was sent`, {
    hint: 'Correct the arguments and call again.',
  });
}

/** An update that changes nothing is a mistake of the caller, not a request. */
export function requireChange(operation: Operation, input: Record<string, unknown>): void {
  const fields = Object.keys(operation.body);
  if (fields.some((field) => input[field] !== undefined)) return;
  throw new AcademyError('invalid_input', `nothing to change: give at least one of ${fields.join(', ')}`);
}
