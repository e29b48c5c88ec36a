import type * as z from 'zod';
import type { Operation } from '../../contract/operation.ts';
import { quotable } from '../../shared/clean-text.ts';
import { firstOf, refuseInput } from '../../shared/invalid-input.ts';
import { quoted } from '../../shared/quote-text.ts';
import { deepest, isTooDeep, tooLong } from './bounds.ts';
import { zodMessages } from './zod-messages.ts';

const maxNames = 8;
const maxName = 60;
function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || 'the arguments';
}

function explain(issue: z.core.$ZodIssue, schema: z.ZodObject): string {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, maxNames).map((key) => quoted(quotable(key, maxName)));
    const unknown = firstOf([...names, ...issue.keys.slice(maxNames)], maxNames, ', ');
    return `unknown argument ${unknown}; valid: ${Object.keys(schema.shape).join(', ') || 'none'}`;
  }
  const message = issue.input === undefined ? 'is required' : issue.message;
  // Some messages name what is wrong instead of saying what must be.
  return `${nameOf(issue.path)}${message.startsWith(':') ? '' : ' '}${message}`;
}

/** Throws `invalid_input` for texts and lists that are too long. Comes before anything that looks into them. */
export function refuseLong(schema: z.ZodObject, given: unknown): void {
  if (isTooDeep(given)) throw refuseInput([`arguments must not be nested deeper than ${deepest} levels`]);
  const problems = tooLong(schema, given);
  if (problems.length > 0) throw refuseInput(problems);
}

/** Checks what an agent sent. The refusal names each argument and the limit that it broke. Nothing is sent. */
export function parseInput<Schema extends z.ZodObject>(schema: Schema, given: unknown): z.output<Schema> {
  refuseLong(schema, given);
  const parsed = schema.safeParse(given ?? {}, { reportInput: true, error: zodMessages });
  if (parsed.success) return parsed.data;
  throw refuseInput(parsed.error.issues.map((issue) => explain(issue, schema)));
}

/** An update that changes nothing is a mistake of the caller, not a request. */
export function requireChange(operation: Operation, input: Record<string, unknown>): void {
  const fields = Object.keys(operation.body);
  if (fields.some((field) => input[field] !== undefined)) return;
  throw refuseInput([`nothing to change: give at least one of ${fields.join(', ')}`]);
}
