import { withConfirmation } from '../../src/mcp/confirmation/confirm.ts';
import { createConfirmCodes } from '../../src/mcp/confirmation/confirm-code.ts';
import { documentedInput } from '../../src/mcp/input/json-schema.ts';
import type { Tool } from '../../src/mcp/tool.ts';

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

/** The part of JSON Schema that the schemas of tools use. */
export interface JsonSchema {
  type?: string | readonly string[];
  enum?: readonly string[];
  anyOf?: readonly JsonSchema[];
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  description?: string;
}

function numberWords({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined) return maximum === undefined ? 'integer' : `integer up to ${maximum}`;
  return maximum === undefined ? `integer from ${minimum}` : `integer from ${minimum} to ${maximum}`;
}

function typeWords(schema: JsonSchema, type: string): string {
  if (type === 'integer' || type === 'number') return numberWords(schema);
  if (type !== 'string') return type;
  return schema.maxLength === undefined ? 'string' : `string, at most ${schema.maxLength} characters`;
}

/** What a value may be: "integer from 1 to 25", "`paid` or `all`". */
export function limitsOf(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(limitsOf))].join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const types = [schema.type ?? 'string'].flat();
  return types.map((type) => typeWords(schema, type)).join(' or ');
}
