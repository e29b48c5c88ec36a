import { withConfirmation } from '../mcp/confirm.ts';
import { createConfirmCodes } from '../mcp/confirm-code.ts';
import { inputJsonSchema } from '../mcp/json-schema.ts';
import type { Tool } from '../mcp/tool.ts';
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

const numbers = ['one', 'two', 'three', 'four', 'five', 'six'];
const word = `(${numbers.join('|')})`;
const costWords = new RegExp(`\\b${word}(?: (?:or|to) ${word})? requests?( a \\w+)?\\b[^.]*\\.$`, 'i');

/** What a call costs, from the last sentence of the description. Throws where that says nothing of it. */
export function requestsOf({ name, description }: Tool): string {
  const [, least, most, each = ''] = costWords.exec(sentences(description).at(-1) ?? '') ?? [];
  if (least === undefined) throw new Error(`the description of ${name} does not end with its cost in requests`);
  const digit = (word: string) => numbers.indexOf(word.toLowerCase()) + 1;
  return `${digit(least)}${most === undefined ? '' : ` to ${digit(most)}`}${each}`;
}
