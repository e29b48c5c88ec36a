import type * as z from 'zod';
import type { Operation } from '../../contract/operation.ts';
import { quotable } from '../../shared/clean-text.ts';
import { firstOf, refuseInput } from '../../shared/invalid-input.ts';
import { quoted } from '../../shared/quote-text.ts';
import { isTooDeep, maxDepth, tooLong, zodMessages } from './bounds.ts';

const maxNames = 8;
const maxName = 60;
function argumentPath(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || 'the arguments';
}

function explain(issue: z.core.$ZodIssue, schema: z.ZodObject): string {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, maxNames).map((key) => quoted(quotable(key, maxName)));
    const unknown = firstOf([...names, ...issue.keys.slice(maxNames)], maxNames, ', ');
    return `unknown argument ${unknown}; valid: ${Object.keys(schema.shape).join(', ') || 'none'}`;
  }
  const message = issue.input === undefined ? 'is required' : issue.message;
  // Some messages name the problem instead of the requirement.
  return `${argumentPath(issue.path)}${message.startsWith(':') ? '' : ' '}${message}`;
}

/** Throws `invalid_input` for texts and lists that are too long. Runs before any code that reads them. */
export function refuseLong(schema: z.ZodObject, given: unknown): void {
  if (isTooDeep(given)) throw refuseInput([`arguments must not be nested deeper than ${maxDepth} levels`]);
  const problems = tooLong(schema, given);
  if (problems.length > 0) throw refuseInput(problems);
}

/** Checks arguments. Throws `invalid_input` that names each invalid argument and its limit. Nothing is sent. */
export function parseInput<Schema extends z.ZodObject>(schema: Schema, given: unknown): z.output<Schema> {
  refuseLong(schema, given);
  const parsed = schema.safeParse(given ?? {}, { reportInput: true, error: zodMessages });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  // A value of another kind also breaks the limits of what was wanted: a text is no list of at most 10 entries.
  const otherKind = new Set(issues.flatMap(({ code, path }) => (code === 'invalid_type' ? [path.join('.')] : [])));
  const own = issues.filter(({ code, path }) => code === 'invalid_type' || !otherKind.has(path.join('.')));
  throw refuseInput(own.map((issue) => explain(issue, schema)));
}

/** Throws `invalid_input` for an update without a new value. */
export function requireChange(operation: Operation, input: Record<string, unknown>): void {
  const fields = Object.keys(operation.body);
  if (fields.some((field) => input[field] !== undefined)) return;
  throw refuseInput([`nothing to change: give at least one of ${fields.join(', ')}`]);
}
