import type { OldValues } from '../../contract/old-values.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import type { Titles, Tool } from '../tool.ts';
import { argumentLines } from './argument-lines.ts';

/** What is known of a call before it is made. */
export interface CallFacts {
  readonly titles: Titles;
  readonly old?: OldValues | undefined;
  /** Facts of now, a line each. */
  readonly facts: readonly string[];
}

/** Characters of what a person is shown; what stands around it makes it 40,000. */
const longest = 39_000;

/** A fact as one line. Blanks before it stay: they show what belongs to what. */
export function factLine(fact: string): string {
  const [indent = ''] = /^ {0,12}/.exec(fact) ?? [];
  return `${indent}${oneLine(fact, Number.POSITIVE_INFINITY)}`;
}

/** What a call would do, in a sentence. */
export function confirmationMessageOf(tool: Tool, input: Json, titles: Titles = {}): string {
  return (
    tool.confirmationMessage?.(input, titles) ??
    `${tool.title} (${tool.name}). This conversation has read text that members wrote, so a person must agree to it.`
  );
}

function tooLong({ name }: Tool): AcademyError {
  return new AcademyError(
    'invalid_input',
    `what ${name} would do is longer than the 40,000 characters that a person can be shown at once; nothing is asked for that is not shown whole. Nothing was sent`,
    {
      hint: 'Split the call: fewer records at a time, or each long text in a call of its own.',
      outcome: 'not_applied',
    },
  );
}

const lengthOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);

/**
 * What a person is asked to agree to: what the call does, all that it is given, and the facts of now. Nothing is cut but
 * the middle of one long text; throws `invalid_input` where that is not enough. A tool with a plan shows its arguments there.
 */
export function consentLines(tool: Tool, input: Json, { titles, old, facts }: CallFacts): string[] {
  const head = factLine(confirmationMessageOf(tool, input, titles));
  const tail = facts.map(factLine);
  const heading = 'Arguments, all of them:';
  const room = longest - lengthOf([head, heading, ...tail]);
  const given = tool.consent === true ? [] : argumentLines(input, { titles, old, recordKeys: tool.recordKeys }, room);
  if (given === undefined || lengthOf(given) > room) throw tooLong(tool);
  return [head, ...(given.length > 0 ? [heading, ...given] : []), ...tail];
}
