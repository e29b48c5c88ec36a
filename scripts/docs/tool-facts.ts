import { withConfirmation } from '../../src/mcp/confirmation/confirm.ts';
import { createConfirmCodes } from '../../src/mcp/confirmation/confirm-code.ts';
import { documentedInput } from '../../src/mcp/input/json-schema.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { type JsonSchema, limitsOf } from './schema-words.ts';

/** One argument of a tool, in words. */
export interface Argument {
  name: string;
  isRequired: boolean;
  /** In JSON Schema; the first, if there are several. */
  type: string;
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
  const { properties, required } = documentedInput(withConfirmation(tool, defaultConsent).input) as JsonSchema;
  return Object.entries(properties ?? {}).map(([name, schema]) => ({
    name,
    isRequired: required?.includes(name) === true,
    type: [schema.type ?? 'string'].flat()[0] ?? 'string',
    limits: limitsOf(schema),
    meaning: schema.description ?? '',
  }));
}

export function firstSentence({ description }: Tool): string {
  return description.split(/(?<=\.) /)[0] ?? '';
}
