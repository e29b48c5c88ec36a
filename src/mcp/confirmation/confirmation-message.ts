import type { OldValues } from '../../contract/lookups/old-values.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import type { Titles, Tool } from '../tool.ts';
import { argumentLines } from './argument-lines.ts';

/** The facts that are read about a call before it is made. */
export interface CallFacts {
  readonly titles: Titles;
  readonly old?: OldValues | undefined;
  /** Current facts, a line each. */
  readonly facts: readonly string[];
}

/** Characters of the text that a person reads; with the rest of the message it stays within 40,000. */
const longest = 39_000;

/** A fact as one line. Its indentation stays, since it shows the structure. */
export function factLine(fact: string): string {
  const [indent = ''] = /^ {0,12}/.exec(fact) ?? [];
  return `${indent}${oneLine(fact, Number.POSITIVE_INFINITY)}`;
}

/** What the call would do, in a sentence. */
export function confirmationMessageOf(tool: Tool, input: Json, titles: Titles = {}): string {
  return (
    tool.confirmationMessage?.(input, titles) ??
    `${tool.title} (${tool.name}). This conversation has read text that members wrote, so this call needs a person's consent.`
  );
}

function tooLong({ name }: Tool): AcademyError {
  return new AcademyError(
    'invalid_input',
    `this call of ${name} needs more than the 40,000 characters of one question to a person, and the question must show all of it. Nothing was sent`,
    {
      hint: 'Split the call: fewer records, or one long text per call.',
      outcome: 'not_applied',
    },
  );
}

const lengthOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);

/**
 * The question to a person: what the call does, all its arguments, and the current facts. Only the middle of one long text
 * may be cut; throws `invalid_input` if that is not enough. A tool with `consent` shows its arguments in its facts.
 */
export function consentLines(tool: Tool, input: Json, { titles, old, facts }: CallFacts): string[] {
  const head = factLine(confirmationMessageOf(tool, input, titles));
  const tail = facts.map(factLine);
  const heading = 'All arguments:';
  const room = longest - lengthOf([head, heading, ...tail]);
  const given = tool.consent === true ? [] : argumentLines(input, { titles, old, recordKeys: tool.recordKeys }, room);
  if (given === undefined || lengthOf(given) > room) throw tooLong(tool);
  // As an answer, the plan is JSON too.
  if (tool.showsPlan === true && JSON.stringify([head, ...tail]).length > longest) throw tooLong(tool);
  return [head, ...(given.length > 0 ? [heading, ...given] : []), ...tail];
}
