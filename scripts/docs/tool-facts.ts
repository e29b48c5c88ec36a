import { withConfirmation } from '../../src/mcp/confirmation/confirm.ts';
import { createConfirmCodes } from '../../src/mcp/confirmation/confirm-code.ts';
import { inputJsonSchema } from '../../src/mcp/input/json-schema.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { type JsonSchema, limitsOf } from './schema-words.ts';

/** One argument of a tool, in words. */
export interface Argument {
  name: string;
  isRequired: boolean;
  limits: string;
  meaning: string;
}

export const effects: Record<Tool['effect'], string> = {
  read: 'reads',
  create: 'creates',
  update: 'updates',
  destroy: 'destroys',
};

const defaultConsent = { policy: 'auto', codes: createConfirmCodes(), lockdown: false } as const;

/** The arguments as a client sees them, `confirm` included. */
export function argumentsOf(tool: Tool): Argument[] {
  const { properties, required } = inputJsonSchema(withConfirmation(tool, defaultConsent).input) as JsonSchema;
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    isRequired: required?.includes(name) === true,
    limits: limitsOf(schema),
    meaning: schema.description ?? '',
  }));
}

function sentences(description: string): string[] {
  return description.split(/(?<=\.) /);
}

export function firstSentence({ description }: Tool): string {
  return sentences(description)[0] ?? '';
}

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
const word = `(${numbers.join('|')})`;
const costWords = new RegExp(`\\b(up to )?${word}(?: (?:or|to) ${word})? requests?( a \\w+| each)?\\b`, 'gi');

/** What a call costs, from the last sentence of the description: "2 + 1 a course". Throws where that says nothing of it. */
export function requestsOf({ name, description }: Tool): string {
  const digit = (word: string) => numbers.indexOf(word.toLowerCase()) + 1;
  const costs = [...(sentences(description).at(-1) ?? '').matchAll(costWords)].map(
    ([, upTo = '', least = '', most, each = '']) =>
      `${upTo}${digit(least)}${most === undefined ? '' : ` to ${digit(most)}`}${each}`,
  );
  if (costs.length === 0) throw new Error(`the description of ${name} does not end with its cost in requests`);
  return costs.join(' + ');
}
