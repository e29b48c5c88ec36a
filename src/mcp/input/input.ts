import type * as z from 'zod';
import type { Operation } from '../../contract/operation.ts';
import { quotable } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import { quoted } from '../../shared/quote.ts';
import { deepest, isTooDeep, tooLong } from './bounds.ts';
import { plainWords } from './zod-messages.ts';

const mostReasons = 8;
const mostNames = 8;
const longestName = 60;
const numbers = new Intl.NumberFormat('en');

/** The first few of many, with the number of the others. */
function firstOf(all: readonly string[], most: number, separator: string): string {
  const more = all.length > most ? [`… and ${numbers.format(all.length - most)} more`] : [];
  return [...all.slice(0, most), ...more].join(separator);
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || 'the arguments';
}

function explain(issue: z.core.$ZodIssue, schema: z.ZodObject): string {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, mostNames).map((key) => quoted(quotable(key, longestName)));
    const unknown = firstOf([...names, ...issue.keys.slice(mostNames)], mostNames, ', ');
    return `unknown argument ${unknown}; valid: ${Object.keys(schema.shape).join(', ') || 'none'}`;
  }
  const message = issue.input === undefined ? 'is required' : issue.message;
  // Some messages name what is wrong instead of saying what must be.
  return `${nameOf(issue.path)}${message.startsWith(':') ? '' : ' '}${message}`;
}

/** The refusal of arguments, one reason each, of which the first few are told. Nothing was sent. */
export function refuseInput(reasons: Iterable<string>): AcademyError {
  const hint = 'Correct the arguments and call again.';
  // One value may break several limits that have the same words.
  const told = firstOf([...new Set(reasons)], mostReasons, '; ');
  return new AcademyError('invalid_input', `${told}. Nothing was sent`, { hint });
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
  const parsed = schema.safeParse(given ?? {}, { reportInput: true, error: plainWords });
  if (parsed.success) return parsed.data;
  throw refuseInput(parsed.error.issues.map((issue) => explain(issue, schema)));
}

/** An update that changes nothing is a mistake of the caller, not a request. */
export function requireChange(operation: Operation, input: Record<string, unknown>): void {
  const fields = Object.keys(operation.body);
  if (fields.some((field) => input[field] !== undefined)) return;
  throw refuseInput([`nothing to change: give at least one of ${fields.join(', ')}`]);
}
